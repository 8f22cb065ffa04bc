/**
 * Tier 1, "trim". Fires from 50 % of the window on, for results of more than 8,000 characters, and
 * above 70 % for those of more than 4,000. Keeps the head and the tail of each, with a line that says where
 * the rest is. Never touches protected results (`protect.ts`), nor the newest reads of files in use.
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

/** Maximum share of a text that may remain; trimming less is not worth a cut. */
const mostShare = 0.8;

function trim(view: View, row: ResultRow, maxChars: number): Change[] {
  const shown = row.text?.length ?? blockText(row.entry.content).length;
  if (shown <= maxChars) return [];
  const text = headAndTail(view, row, maxChars);
  const isShorter = text.length <= shown * mostShare;
  return isShorter ? [{ kind: "replace", entry: row.entry.id, text }] : [];
}

/** Maximum length of an older result; null: below the tier's mark. */
function budgetChars(utilization: number, policy: Policy): number | null {
  if (utilization > policy.budgetTightAt) return policy.budgetTightChars;
  return utilization >= policy.budgetAt ? policy.budgetChars : null;
}
