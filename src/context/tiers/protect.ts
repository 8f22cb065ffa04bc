/** The results that tiers must not cut, and those that an edit may still need. */

import type { EntryId } from "../../protocol/entry.ts";
import { keptCalls } from "../../protocol/policy.ts";
import type { Signals, View } from "../types.ts";
import { isResult, openExchange, type ResultRow } from "../view/rows.ts";
import { findTouches } from "../view/touches.ts";

/**
 * Results that a tier may cut, oldest first: visible, not pinned, not restored by the user, not among
 * the newest `keep`, not an error of the current turn, and not in the open exchange. Without the result
 * that loaded a tool, the model could no longer call it.
 */
export function cuttableResults(view: View, keep: number): ResultRow[] {
  const results = sentResults(view).filter(({ entry }) => !entry.loads);
  const open = openExchange(view);
  const rowIndex = ({ entry }: ResultRow): number => view.indexOf(entry.id) ?? 0;
  return results.slice(0, Math.max(0, results.length - keep)).filter((row) => {
    if (row.pinned || view.isRestored(row.entry.id)) return false;
    if (row.entry.isError && rowIndex(row) >= view.loopStart) return false;
    return open === view.rows.length || rowIndex(row) < open;
  });
}

/** Results that no summary covers, oldest first. */
export const sentResults = ({ rows }: View): readonly ResultRow[] =>
  rows.filter(({ shown }) => shown !== "covered").filter(isResult);

/** Limits in characters: short readings are cheap to keep; long ones cost no more to repeat than to keep. */
const sizes = { short: 4_000, long: 10_000 };

/**
 * The newest whole reading of every file in use, and the newest part that was read since. Readings of files
 * that were edited stay longer, and long ones for less time.
 */
export function neededReads({ view, policy, rules }: NeededBy): Set<EntryId> {
  const { files: calls } = keptCalls(policy, rules.windowTokens);
  const needed = new Set<EntryId>();
  const readWhole = new Set<string>();
  const readPart = new Set<string>();
  for (const row of calls > 0 ? sentResults(view).toReversed() : []) {
    for (const { path, does, isPart } of findTouches(view, row)) {
      const file = view.fileUse(path);
      if (does !== "read" || !file || readWhole.has(path) || (isPart && readPart.has(path)))
        continue;
      (isPart ? readPart : readWhole).add(path);
      if (file.callsSince <= calls * weigh(row.wholeChars, file.edited)) needed.add(row.entry.id);
    }
  }
  return needed;
}

type NeededBy = Pick<Signals, "view" | "policy" | "rules">;

function weigh(chars: number, edited: boolean): number {
  if (chars > sizes.long) return 1 / 4;
  if (!edited) return chars > sizes.short ? 1 / 4 : 1 / 2;
  return chars > sizes.short ? 1 : 10;
}
