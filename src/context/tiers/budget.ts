import { textOf } from "../../protocol/block.ts";
import type { Change } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { headAndTail } from "../placeholder.ts";
import { cuttableResults } from "../protect.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Tier 1: as the window fills, older large results keep their head and tail. */
export function budget(view: View, now: Signals, policy: Policy): Plan | null {
  const { utilisation } = now.reading;
  if (utilisation < policy.budgetAt) return null;
  const tight = utilisation > policy.budgetTightAt;
  const most = tight ? policy.budgetTightChars : policy.budgetChars;
  const changes = cuttableResults(view, policy.keepResults).flatMap((row): Change[] => {
    // A little more than the budget is not worth a cut, and what was cut to it stays within.
    const shown = row.text?.length ?? textOf(row.entry.content).length;
    if (shown <= most * 1.1) return [];
    return [{ kind: "replace", entry: row.entry.id, text: headAndTail(row, most) }];
  });
  if (changes.length === 0) return null;
  const share = Math.round(utilisation * 100);
  const reason = `${share} % used: results over ${most.toLocaleString("en")} characters keep head and tail`;
  return { tier: "budget", reason, changes, price: now.priceOf(changes) };
}
