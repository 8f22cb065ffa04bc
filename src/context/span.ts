/** How far a summary may reach. */

import type { Span } from "../protocol/entry.ts";
import { openExchange } from "./protect.ts";
import type { View } from "./types.ts";

/** Everything before the newest turn; null when there is nothing. */
export const spanBeforeTurn = (view: View): Span | null => spanTo(view, turnStart(view) - 1);

/** Everything before the exchange that the model has not seen the end of. */
export const spanBeforeExchange = (view: View): Span | null =>
  spanTo(view, exchangeStart(view) - 1);

/** From the first word of the conversation to a row; what the project's files say stays outside. */
export function spanTo(view: View, last: number): Span | null {
  const first = view.rows.findIndex(
    ({ entry }) => entry.type === "user" || entry.type === "assistant",
  );
  let to = Math.min(last, view.rows.length - 1);
  while (to > first && view.rows[to]?.shown === "aside") to--;
  const from = view.rows[first]?.entry.id;
  const end = view.rows[to]?.entry.id;
  if (first === -1 || to <= first || from === undefined || end === undefined) return null;
  return { from, to: end };
}

/** Row of the user's message that the newest turn begins with, and of what stands around it. */
export function turnStart(view: View): number {
  const begun = view.rows.findLastIndex(({ entry }) => entry.type === "user");
  if (begun === -1) return view.rows.length;
  let start = begun;
  for (let row = begun - 1; row >= 0; row--) {
    const entry = view.rows[row]?.entry;
    if (entry?.type === "user" || entry?.type === "context") start = row;
    else if (entry?.type === "assistant" || entry?.type === "result") break;
  }
  // A message typed into a running loop stands behind results, from which it cannot be parted.
  const before = view.rows.slice(0, start).findLast(({ shown }) => shown !== "aside")?.entry;
  return before?.type === "result" ? exchangeOf(view, start) : start;
}

function exchangeStart(view: View): number {
  if (view.midLoop) return openExchange(view);
  const start = turnStart(view);
  const answer = view.rows.findLastIndex(({ entry }) => entry.type === "assistant");
  return answer > start ? answer : start;
}

/** Row of the answer whose results stand before `row`. */
function exchangeOf(view: View, row: number): number {
  const answer = view.rows
    .slice(0, row)
    .findLastIndex(({ entry }) => entry.type === "assistant" && entry.stop !== "failed");
  return answer === -1 ? row : answer;
}
