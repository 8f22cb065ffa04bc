/** What tiers must not touch. */

import type { EntryOf } from "../protocol/entry.ts";
import type { Row, View } from "./types.ts";
import { isAnswer } from "./view/blocks.ts";

export type ResultRow = Row & { readonly entry: EntryOf<"result"> };

/**
 * Results that a tier may cut, oldest first: visible, not pinned, not restored by the user, not among
 * the newest `keep`, not an error of the current turn, and not in the open exchange. Without the result that loaded a tool, the
 * model could no longer call it.
 */
export function cuttableResults(view: View, keep: number): ResultRow[] {
  const results = sentResults(view).filter(
    ({ shown, entry }) => shown !== "covered" && !entry.loads,
  );
  const open = openExchange(view);
  const indexOf = ({ entry }: ResultRow): number => view.indexOf(entry.id) ?? 0;
  return results.slice(0, Math.max(0, results.length - keep)).filter((row) => {
    if (row.pinned || view.isRestored(row.entry.id)) return false;
    if (row.entry.isError && indexOf(row) >= view.loopStart) return false;
    return open === view.rows.length || indexOf(row) < open;
  });
}

type Known = { version: number; results: readonly ResultRow[] };
const known = new WeakMap<readonly Row[], Known>();

/**
 * Results that summaries did not replace, oldest first; a few of them may still be covered. Found once
 * for each version of the view.
 */
export function sentResults({ rows, sentFrom, version }: View): readonly ResultRow[] {
  const before = known.get(rows);
  if (before?.version === version) return before.results;
  const results = rows.slice(sentFrom).filter(isResult);
  known.set(rows, { version, results });
  return results;
}

export const isResult = (row: Row): row is ResultRow => row.entry.type === "result";

/** Row of the last answer whose results the model has not seen yet; the row count if there is none. */
export function openExchange(view: View): number {
  if (!view.midLoop) return view.rows.length;
  const last = view.rows.findLastIndex(({ entry }) => isAnswer(entry));
  return last === -1 || view.rows[last]?.shown === "covered" ? view.rows.length : last;
}
