/**
 * Tier 1, "trim". Fires from 50 % of the window on, for results of more than 30,000 characters, and
 * above 70 % for those of more than 15,000. Where a summary would be due, also what the user pasted in
 * earlier turns: otherwise every turn that pastes a large text would need a summary. Keeps the head and
 * the tail of each, with a line that says where the rest is, and of a pasted text also the instructions
 * in between. Never touches what `protect.ts` names.
 */

import { blockText } from "../../protocol/block.ts";
import type { Change, EntryOf } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { priceChanges } from "../meter/cache.ts";
import { sumTokens } from "../view/row-tokens.ts";
import { cuttableResults, neededReads } from "./protect.ts";
import { headAndTail, type TextRow } from "./replacement.ts";
import { findInstructions, missingInstructions } from "../summary/instructions.ts";
import { turnStart } from "../summary/span.ts";
import { summaryTokens } from "./summary.ts";
import type { Row, Signals, View } from "../types.ts";

export function budget(now: Signals): Change[] {
  const { view, reading, policy } = now;
  const maxChars = budgetChars(reading.utilization, policy);
  if (maxChars === null) return [];
  const needed = neededReads(view, policy);
  const results = cuttableResults(view, policy.keepResults)
    .filter(({ entry }) => !needed.has(entry.id))
    .flatMap((row) => trim(row, maxChars, (row, most) => headAndTail(view, row, most)));
  if (reading.usedTokens <= summaryTokens(reading, policy)) return results;
  const pasted = earlierMessages(view);
  const trimTo = (most: number): Change[] => [
    ...results,
    ...pasted.flatMap((row) => trim(row, most, (row, chars) => withInstructions(view, row, chars))),
  ];
  const changes = trimTo(maxChars);
  const room = summaryTokens(reading, policy) - priceChanges(now, changes).usedAfter;
  const turn = sumTokens(view, now.rules, turnStart(view));
  // Where even this cut is not enough, a summary takes its place.
  const isCloseAgain = turn > largeTurn * reading.effectiveTokens && room >= 0 && room < turn;
  return isCloseAgain ? trimTo(maxChars * closeShare) : changes;
}

/** Share of the window from which a turn that begins is a large one. */
const largeTurn = 0.1;

/** Share of the usual limit for pasted texts where another large turn would need a cut at once. */
const closeShare = 0.2;

/** A text of which more would remain stays whole. */
const mostShare = 0.8;

function trim(
  row: TextRow,
  maxChars: number,
  shorten: (row: TextRow, maxChars: number) => string,
): Change[] {
  const shown = row.text?.length ?? blockText(row.entry.content).length;
  if (shown <= maxChars) return [];
  const text = shorten(row, maxChars);
  const isShorter = text.length <= Math.max(maxChars, shown * mostShare);
  return isShorter ? [{ kind: "replace", entry: row.entry.id, text }] : [];
}

/** Head, tail, and every instruction in between: what the user asked for is never trimmed. */
function withInstructions(view: View, row: TextRow, maxChars: number): string {
  const { id, content } = row.entry;
  const ends = headAndTail(view, row, maxChars);
  const all = findInstructions([{ entry: id, text: blockText(content) }]);
  const between = missingInstructions(ends, all).map(({ text }) => `- ${text}`);
  const title = "[Instructions in what was cut, word for word:]";
  return between.length === 0 ? ends : [ends, title, ...between].join("\n");
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
