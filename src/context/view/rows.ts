/** Finds rows, and ranges of them; their tokens; how much of them the server caches. */

import { blockText, type ToolInput } from "../../protocol/block.ts";
import type { Entry, EntryId, EntryOf, Span } from "../../protocol/entry.ts";
import type { CharsPerToken, ModelRules } from "../../protocol/model.ts";
import type { Anchor, CachedPrefix, Row, View } from "../types.ts";
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

/** The rows of a range, newest first. */
export const newestFirst = (range: RowRange): readonly Row[] => rangeRows(range).toReversed();

/** The rows of a span. */
export const spanRows = (view: View, span: Span): readonly Row[] =>
  rangeRows(spanRange(view, span));

/** Turns that begin in these rows. A message that the user typed meanwhile joins the turn. */
export const countTurns = (range: RowRange): number => rangeRows(range).filter(beginsTurn).length;

/** Turns of a range that are not summarized yet. */
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

/** Whether a newer summary covers this one, which then cannot be undone first. */
export function isSummarizedAgain(view: View, { id, changes }: EntryOf<"cut">): boolean {
  if (!changes.every(({ kind }) => kind === "cover")) return false;
  const [span] = changes.flatMap((change) => (change.kind === "cover" ? [change.span] : []));
  const at = view.indexOf(span?.from ?? "") ?? -1;
  return view.covers.some(({ cut, from, to }) => cut.id !== id && from <= at && at <= to);
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

/** Tokens of a row in the request now: counted by a call, else estimated. `index`: place of the row, if known. */
export const rowCounter =
  (view: View, rules: ModelRules) =>
  (row: Row, index = view.indexOf(row.entry.id)): number => {
    const counted = index === undefined ? null : view.tokenCounts.countedTokens(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.charsByKind, rules.charsPerToken));
  };

/** Tokens by row; of a row that is not sent, zero. */
type RowTokens = readonly number[];

type CountedRows = { version: number; charsPerToken: CharsPerToken; tokens: RowTokens };
const known = new WeakMap<readonly Row[], CountedRows>();

/** The tokens of every row, which a plan adds up many times. Computed once for each version of the view. */
export function rowTokens(view: View, rules: ModelRules): RowTokens {
  const { rows, version } = view;
  const { charsPerToken } = rules;
  const before = known.get(rows);
  if (before?.version === version && before.charsPerToken === charsPerToken) return before.tokens;
  const count = rowCounter(view, rules);
  const tokens = rows.map((row, index) => count(row, index));
  known.set(rows, { version, charsPerToken, tokens });
  return tokens;
}

/** Tokens of the rows from one to another, without the latter; of those for which `counts` is true. */
export function sumTokens(
  view: View,
  rules: ModelRules,
  from: number,
  to = view.rows.length,
  counts: (row: Row) => boolean = () => true,
): number {
  const tokens = rowTokens(view, rules);
  let sum = 0;
  for (let index = from; index < to; index++) {
    const row = view.rows[index];
    if (row && counts(row)) sum += tokens[index] ?? 0;
  }
  return sum;
}

/** Tokens that a row would take if it were shown whole. */
export const wholeRowCounter =
  (view: View, rules: ModelRules) =>
  (row: Row): number => {
    const index = view.indexOf(row.entry.id);
    const counted = index === undefined ? null : view.tokenCounts.countedWholeTokens(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.wholeCharsByKind, rules.charsPerToken));
  };

/** The anchor once the rows from `first` on differ from what was sent. */
export function withChange(
  anchor: Anchor,
  first: number,
  view: Pick<View, "tokenCounts" | "cachedPrefixes">,
): Anchor {
  if (first > anchor.row) return anchor;
  if (anchor.changed !== null && anchor.changed.row <= first) return anchor;
  const { rows: cachedRows, tokens: tokensBefore } = cachedBefore(view, first);
  return { ...anchor, changed: { row: first, cachedRows, tokensBefore } };
}

/** How much the server could still read from its cache if a row changed. */
export function cachedBefore(
  { tokenCounts, cachedPrefixes }: Pick<View, "tokenCounts" | "cachedPrefixes">,
  row: number,
): CachedPrefix {
  const { system, tools } = tokenCounts.counted;
  const head = { rows: 0, tokens: system + tools };
  if (cachedPrefixes) return cachedPrefixes.findLast(({ rows }) => rows <= row) ?? head;
  let { tokens } = head;
  for (let before = 0; before < row; before++) tokens += tokenCounts.countedTokens(before) ?? 0;
  return { rows: row, tokens };
}
