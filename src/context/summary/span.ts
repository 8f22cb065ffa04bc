/** Which entries a summary may cover. */

import type { Span } from "../../protocol/entry.ts";
import { isAnswer } from "../view/blocks.ts";
import { isInsideLoop } from "../view/pairs.ts";
import { openExchange, spanRange, sumTokens } from "../view/rows.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Row, SummaryRange, View } from "../types.ts";

/** Everything before the newest turn; null if there is nothing. */
export const spanBeforeTurn = (view: View): Span | null => spanTo(view, turnStart(view) - 1);

/** Everything before the newest `turns` turns; before fewer if those hold more than half of it. */
export function spanBeforeTurns(view: View, turns: number, rules: ModelRules): Span | null {
  const newest = spanBeforeTurn(view);
  if (!newest) return null;
  const enough = freshTokens(view, newest, rules) / 2;
  for (let keep = turns; keep > 1; keep--) {
    const span = spanTo(view, turnStart(view, keep) - 1);
    if (span && freshTokens(view, span, rules) >= enough) return span;
  }
  return newest;
}

/** Everything before the open exchange. */
export const spanBeforeExchange = (view: View): Span | null =>
  spanTo(view, exchangeStart(view) - 1);

/** From the conversation's first message to a row. Project instructions before it stay outside. */
export function spanTo(view: View, last: number): Span | null {
  const first = view.rows.findIndex(
    ({ entry }) => entry.type === "user" || entry.type === "assistant",
  );
  let to = Math.min(last, view.rows.length - 1);
  while (to > first && view.rows[to]?.shown === "unsent") to--;
  const from = view.rows[first]?.entry.id;
  const end = view.rows[to]?.entry.id;
  if (first === -1 || to <= first || from === undefined || end === undefined) return null;
  return wholeSpans(view, { from, to: end });
}

/**
 * The given range, widened so that it splits no call from its result, starts inside no tool loop and
 * overlaps no active summary only partly. Without `to`: up to the newest turn.
 */
export function spanWithin(view: View, { from, to }: SummaryRange): Span | null {
  const end = to === undefined ? undefined : view.indexOf(to);
  if (to !== undefined && end === undefined) return null;
  const span = end === undefined ? spanBeforeTurn(view) : spanTo(view, exchangeEnd(view, end));
  if (!span || from === undefined) return span;
  const start = view.indexOf(from);
  if (start === undefined) return null;
  const head = view.rows[loopHead(view, start)]?.entry.id;
  const last = view.indexOf(span.to) ?? 0;
  if (head === undefined || (view.indexOf(head) ?? 0) > last) return null;
  return wholeSpans(view, { from: head, to: span.to });
}

/** The span, widened so that it does not split an active summary. */
export function wholeSpans(view: View, span: Span): Span {
  let { from, to } = spanRange(view, span);
  for (const cover of view.covers) {
    if (cover.to < from || cover.from > to) continue;
    from = Math.min(from, cover.from);
    to = Math.max(to, cover.to);
  }
  return { from: view.rows[from]?.entry.id ?? span.from, to: view.rows[to]?.entry.id ?? span.to };
}

/**
 * The span, widened to the first row that is sent: the server summarizes every message it is given,
 * and its block comes before all others.
 */
export function signedSpan(view: View, span: Span): Span {
  const first = view.rows.find(({ shown }) => shown !== "unsent");
  return wholeSpans(view, { from: first?.entry.id ?? span.from, to: span.to });
}

/** Tokens of a span that are neither summarized nor pinned: what a new summary would replace. */
export function freshTokens(view: View, span: Span, rules: ModelRules): number {
  const { from, to } = spanRange(view, span);
  const isFresh = ({ shown, pinned }: Row): boolean =>
    shown !== "covered" && shown !== "unsent" && !pinned;
  return sumTokens(view, rules, from, to + 1, isFresh);
}

/** Last row of the exchange that a row belongs to, before the open one. */
function exchangeEnd(view: View, row: number): number {
  // Without a next answer the row belongs to the newest exchange, which is left out anyway.
  const next = view.rows.findIndex(({ entry }, at) => at > row && isAnswer(entry));
  const result = view.rows
    .slice(0, Math.max(0, next))
    .findLastIndex(({ entry, shown }) => entry.type === "result" && shown !== "unsent");
  return Math.min(Math.max(row, result), exchangeStart(view) - 1);
}

const isInLoop = ({ rows }: View, row: number): boolean =>
  isInsideLoop(row, {
    entryAt: (at) => rows[at]?.entry,
    isOrphan: (at) => rows[at]?.shown === "unsent",
  });

/** First row of the loop that a row is in. */
function loopHead(view: View, row: number): number {
  let head = row;
  while (head > 0 && (isInLoop(view, head) || view.rows[head]?.shown === "unsent")) head--;
  return head;
}

/** Row of the user message that begins the newest turn; `turns`: the nth newest. */
export function turnStart(view: View, turns = 1, before = view.rows.length): number {
  const begun = view.rows.slice(0, before).findLastIndex(({ entry }) => entry.type === "user");
  if (begun === -1) return before;
  let start = begun;
  for (let row = begun - 1; row >= 0; row--) {
    const entry = view.rows[row]?.entry;
    if (entry?.type === "user" || entry?.type === "context") start = row;
    else if (entry?.type === "assistant" || entry?.type === "result") break;
  }
  // A message typed during a loop cannot be separated from the calls and results before it.
  const answer = view.rows.slice(0, start).findLastIndex(({ entry }) => isAnswer(entry));
  const own = answer !== -1 && isInLoop(view, start) ? answer : start;
  return turns > 1 ? turnStart(view, turns - 1, own) : own;
}

function exchangeStart(view: View): number {
  const open = openExchange(view);
  if (open < view.rows.length) return open;
  const start = turnStart(view);
  const answer = view.rows.findLastIndex(({ entry }) => entry.type === "assistant");
  return answer > start ? answer : start;
}
