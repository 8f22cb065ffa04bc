/**
 * Tier 1, "trim". Fires from 50 % of the window on, for results of more than 8,000 characters, and
 * above 70 % for those of more than 4,000. Keeps the head and the tail of each, with a line that says where
 * the rest is. Never touches what `protect.ts` names, nor the newest readings of files in work.
 */

import { blockText } from "../../protocol/block.ts";
import type { Change } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { ResultRow } from "../view/rows.ts";
import { cuttableResults, neededReads } from "./protect.ts";
import { headAndTail } from "./replacement.ts";
import type { Signals, View } from "../types.ts";

export function budget(now: Signals): Change[] {
  const { view, reading, policy } = now;
  const maxChars = budgetChars(reading.utilization, policy);
  if (maxChars === null) return [];
  const needed = neededReads(now);
  return cuttableResults(view, policy.keepResults)
    .filter(({ entry }) => !needed.has(entry.id))
    .flatMap((row) => trim(view, row, maxChars));
}

/** A text of which more would remain stays whole. */
const mostShare = 0.8;

function trim(view: View, row: ResultRow, maxChars: number): Change[] {
  const shown = row.text?.length ?? blockText(row.entry.content).length;
  if (shown <= maxChars) return [];
  const text = headAndTail(view, row, maxChars);
  const isShorter = text.length <= shown * mostShare;
  return isShorter ? [{ kind: "replace", entry: row.entry.id, text }] : [];
}

/** The longest that an older result may be; null: the tier rests. */
function budgetChars(utilization: number, policy: Policy): number | null {
  if (utilization > policy.budgetTightAt) return policy.budgetTightChars;
  return utilization >= policy.budgetAt ? policy.budgetChars : null;
}
