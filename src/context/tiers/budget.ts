/**
 * Tier 1, "trim". Fires from 50 % of the window on, for results of more than 30,000 characters, and
 * above 70 % for those of more than 15,000. Where a summary would be due, also what the user pasted in
 * earlier turns: otherwise every turn that pastes a large text would need a summary. Keeps the head and
 * the tail of each, with a line that says where the rest is. Never touches what `protect.ts` names.
 */

import { blockText } from "../../protocol/block.ts";
import type { Change, EntryOf } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { cuttableResults, neededReads } from "./protect.ts";
import { headAndTail, type TextRow } from "./replacement.ts";
import { turnStart } from "../summary/span.ts";
import { summaryTokens } from "./summary.ts";
import type { Row, Signals, View } from "../types.ts";

export function budget({ view, reading, policy }: Signals): Change[] {
  const maxChars = budgetChars(reading.utilization, policy);
  if (maxChars === null) return [];
  const needed = neededReads(view, policy);
  const results = cuttableResults(view, policy.keepResults).filter(
    ({ entry }) => !needed.has(entry.id),
  );
  const isFull = reading.usedTokens > summaryTokens(reading, policy);
  const pasted = isFull ? earlierMessages(view) : [];
  return [...results, ...pasted].flatMap((row): Change[] => {
    const shown = row.text?.length ?? blockText(row.entry.content).length;
    if (shown <= maxChars) return [];
    return [{ kind: "replace", entry: row.entry.id, text: headAndTail(row, maxChars) }];
  });
}

/** Messages of text alone, before the newest turn. */
const earlierMessages = (view: View): TextRow[] =>
  view.rows
    .slice(0, turnStart(view))
    .filter(({ shown, pinned }) => shown !== "covered" && shown !== "unsent" && !pinned)
    .filter(isMessage)
    .filter(
      ({ entry }) =>
        entry.content.every(({ type }) => type === "text") && !view.isRestored(entry.id),
    );

const isMessage = (row: Row): row is Row & { entry: EntryOf<"user"> } => row.entry.type === "user";

/** The longest that an older result may be; null: the tier rests. */
function budgetChars(utilization: number, policy: Policy): number | null {
  if (utilization > policy.budgetTightAt) return policy.budgetTightChars;
  return utilization >= policy.budgetAt ? policy.budgetChars : null;
}
