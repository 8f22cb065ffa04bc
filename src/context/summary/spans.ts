import type { Span } from "../../protocol/entry.ts";
import { rangeOf } from "../row-range.ts";
import type { View } from "../types.ts";

/** The span, widened so that it does not split an active summary. */
export function wholeSpans(view: View, span: Span): Span {
  let { from, to } = rangeOf(view, span);
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
export function fromTheStart(view: View, span: Span): Span {
  const first = view.rows.find(({ shown }) => shown !== "unsent");
  return { from: first?.entry.id ?? span.from, to: span.to };
}
