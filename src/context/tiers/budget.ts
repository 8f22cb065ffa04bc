import { textOf } from "../../protocol/block.ts";
import type { Change } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { counted } from "../../protocol/in-words.ts";
import { headAndTail } from "../placeholder.ts";
import { cuttableResults } from "../protect.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Tier 1: as the window fills, older large results keep their head and tail. */
export function budget(view: View, now: Signals, policy: Policy): Plan | null {
  const { utilization } = now.reading;
  if (utilization < policy.budgetAt) return null;
  const isTight = utilization > policy.budgetTightAt;
  const maxChars = isTight ? policy.budgetTightChars : policy.budgetChars;
  const changes = cuttableResults(view, policy.keepResults).flatMap((row): Change[] => {
    // A little more than the budget is not worth a cut, and a trimmed result stays within it.
    const shown = row.text?.length ?? textOf(row.entry.content).length;
    if (shown <= maxChars * 1.1) return [];
    return [{ kind: "replace", entry: row.entry.id, text: headAndTail(row, maxChars) }];
  });
  if (changes.length === 0) return null;
  const action = `trim ${counted(changes.length, "large result")}`;
  const reason = `${action} to ${maxChars.toLocaleString("en")} characters: ${percent(utilization)} used`;
  return { tier: "budget", action, reason, changes, price: now.priceOf(changes) };
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
