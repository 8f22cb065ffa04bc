/** Finds rows, and ranges of them. */

import { blockText, type ToolInput } from "../../protocol/block.ts";
import type { Entry, EntryId, EntryOf, Span } from "../../protocol/entry.ts";
import type { Row, View } from "../types.ts";
import { isAnswer } from "./blocks.ts";
import { coverAt } from "./cuts.ts";

/** The row of an entry; undefined if it is not on the path. */
export function findRow(
  { rows, indexOf }: Pick<View, "rows" | "indexOf">,
  entry: EntryId,
): Row | undefined {
  const index = indexOf(entry);
  return index === undefined ? undefined : rows[index];
}

/** The cut that decides how a row is shown: of several summaries the newest; undefined if none does. */
export function findCut(
  view: Pick<View, "rows" | "indexOf" | "covers">,
  row: Row | undefined,
): EntryOf<"cut"> | undefined {
  if (row?.by === undefined) return undefined;
  if (row.shown === "covered") return coverAt(view.covers, view.indexOf(row.entry.id) ?? -1)?.cut;
  const entry = findRow(view, row.by)?.entry;
  return entry?.type === "cut" ? entry : undefined;
}

/** Rows of a view that are, or may be, summarized. */
export type RowRange = {
  readonly view: View;
  /** First and last row. */
  readonly from: number;
  readonly to: number;
};

/** Rows of a span, including those that an earlier summary covers; none if an end is not on the path. */
export function spanRange(view: View, span: Span): RowRange {
  const from = view.indexOf(span.from);
  const to = view.indexOf(span.to);
  return from === undefined || to === undefined ? { view, from: 0, to: -1 } : { view, from, to };
}

/** The rows themselves, oldest first. */
export const rangeRows = ({ view, from, to }: RowRange): readonly Row[] =>
  view.rows.slice(from, to + 1);

/** The same, newest first. */
export const newestFirst = (range: RowRange): readonly Row[] => rangeRows(range).toReversed();

/** The rows of a span. */
export const spanRows = (view: View, span: Span): readonly Row[] =>
  rangeRows(spanRange(view, span));

/** Turns that begin in these rows. A message that the user typed meanwhile joins the turn. */
export const countTurns = (range: RowRange): number => rangeRows(range).filter(beginsTurn).length;

/** The same, without those that are summarized already. */
export const countFreshTurns = (range: RowRange): number =>
  rangeRows(range).filter((row) => beginsTurn(row) && row.shown !== "covered").length;

const beginsTurn = ({ entry, shown }: Row): boolean =>
  entry.type === "user" && !entry.midTurn && shown !== "unsent";

/** The run has the tool that opens entries by their handles. */
export const canRecall = ({ session }: Pick<View, "session">): boolean =>
  session?.tools.some(({ name }) => name === "Recall") ?? false;

/** The handle of an entry; null: the run has no tool that opens it. */
export const handleOf = (view: View, id: EntryId): EntryId | null => (canRecall(view) ? id : null);

/** All rows of a view. */
export const wholeRange = (view: View): RowRange => ({ view, from: 0, to: view.rows.length - 1 });

/** The rows after it. */
export const rowsAfter = ({ view, to }: RowRange): RowRange => ({
  view,
  from: to + 1,
  to: view.rows.length - 1,
});

/** The rows that no summary covers, oldest first. */
export const uncovered = (range: RowRange): readonly Row[] =>
  rangeRows(range).filter(({ shown }) => shown !== "covered");

/**
 * The rows that may be sent, oldest first: from those that a summary hides, only the row that shows
 * it.
 */
export const sentRows = ({ rows }: Pick<View, "rows">): readonly Row[] =>
  rows.filter(({ shown, chars }) => shown !== "covered" || chars > 0);

export type ResultRow = Row & { readonly entry: EntryOf<"result"> };

export const isResult = (row: Row): row is ResultRow => row.entry.type === "result";

/** The call that a result answers. */
export function findCall(
  view: View,
  result: EntryOf<"result">,
): { name: string; input: ToolInput } | undefined {
  const at = view.indexOf(result.id) ?? 0;
  for (let index = at - 1; index >= 0; index--) {
    const entry = view.rows[index]?.entry;
    if (entry?.type !== "assistant") continue;
    for (const block of entry.content) {
      if (block.type === "tool_use" && block.id === result.toolUse) return block;
    }
    // A call is answered before the next answer.
    if (isAnswer(entry)) break;
  }
  return undefined;
}

/** Row of the last answer whose results the model has not seen yet; the row count if there is none. */
export function openExchange(view: View): number {
  if (!view.midLoop) return view.rows.length;
  const last = view.rows.findLastIndex(({ entry }) => isAnswer(entry));
  return last === -1 || view.rows[last]?.shown === "covered" ? view.rows.length : last;
}

/** Whether a summary holds a message's words verbatim, so that the model still sees them. */
export function keepsVerbatim(cut: EntryOf<"cut"> | undefined, entry: Entry): boolean {
  if (cut === undefined || entry.type !== "user") return false;
  const words = blockText(entry.content).trim();
  const holds = (text = ""): boolean => text.includes(words);
  return (
    words !== "" &&
    cut.changes.some(
      (change) => change.kind === "cover" && (holds(change.text) || holds(change.kept)),
    )
  );
}
