/**
 * Tier 1, "trim". Fires from 50 % of the window on, for results of more than 30,000 characters, and
 * above 70 % for those of more than 15,000. Keeps the head and the tail of each, with a line that says
 * where the rest is. Never touches what `protect.ts` names.
 */

import { textOf } from "../../protocol/block.ts";
import type { Change } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { cuttableResults, neededReads } from "./protect.ts";
import { headAndTail } from "./replacement.ts";
import type { Signals } from "../types.ts";

export function budget({ view, reading, policy }: Signals): Change[] {
  const maxChars = budgetChars(reading.utilization, policy);
  if (maxChars === null) return [];
  const needed = neededReads(view, policy);
  return cuttableResults(view, policy.keepResults).flatMap((row): Change[] => {
    if (needed.has(row.entry.id)) return [];
    const shown = row.text?.length ?? textOf(row.entry.content).length;
    if (shown <= maxChars) return [];
    return [{ kind: "replace", entry: row.entry.id, text: headAndTail(row, maxChars) }];
  });
}

/** The longest that an older result may be; null: the tier rests. */
function budgetChars(utilization: number, policy: Policy): number | null {
  if (utilization > policy.budgetTightAt) return policy.budgetTightChars;
  return utilization >= policy.budgetAt ? policy.budgetChars : null;
}
