/**
 * Tier 3, "clear". Fires at any size when the prompt cache is cold: everything is written again
 * anyway, so that clearing costs nothing. Replaces old results and the long texts in the inputs of old
 * calls. Never touches what `protect.ts` names, nor what the next calls will probably need: the newest
 * readings of files in work, and the texts last written into them.
 */

import type { ToolInput } from "../../protocol/block.ts";
import type { Change, Entry, EntryId } from "../../protocol/entry.ts";
import { ttlMs } from "../../protocol/model.ts";
import { replaceWhole } from "../placeholder.ts";
import { cuttableResults, openExchange, sentResults } from "../protect.ts";
import { findLastRow } from "../view/rows.ts";
import { activeInputs, shortened, sizeOf } from "../tool-inputs.ts";
import { absolutePath } from "../view/touches.ts";
import { callsForWritten, tuningOf, type Tuning } from "../tuning.ts";
import type { AnswerDigest, Signals, View } from "../types.ts";
import { neededReads } from "./needed-reads.ts";

export const microcompact = (now: Signals): Change[] => (isCold(now) ? clearable(now) : []);

/** The server has dropped its cache of the last request, as far as can be known. */
export function isCold({ reading, policy }: Signals): boolean {
  if (policy.policy !== "thresholds") return reading.cache.state === "cold";
  return reading.idleMs !== null && reading.idleMs > ttlMs[policy.cacheTtl];
}

/** Everything that this tier may clear, whatever the cache holds. */
export function clearable({ view, policy }: Signals): Change[] {
  const tuning = tuningOf(policy);
  const needed = neededReads(view, policy);
  const isOld = olderThan(view, tuning.clearAfter);
  const rows = cuttableResults(view, policy.keepResults).filter(
    ({ digest }) => !needed.has(digest.id) && isOld(digest.id),
  );
  const inputs = tuning.clearsInputs ? clearInputs(view, policy.keepResults, tuning, needed) : [];
  return [...replaceWhole(rows, "cleared"), ...inputs];
}

/** Whether at least so many calls were answered after an entry. */
function olderThan({ rows, indexOf, sentFrom }: View, calls: number): (id: EntryId) => boolean {
  let since = 0;
  let row = rows.length - 1;
  for (; row >= sentFrom && since < calls; row--)
    if (rows[row]?.digest.type === "assistant") since++;
  return (id) => (indexOf(id) ?? Infinity) <= row;
}

/** Fewer characters are not worth the note that replaces them. */
const minChars = 100;

/** Shortens long texts in the inputs of calls whose results may be cleared. */
function clearInputs(
  view: View,
  keep: number,
  { writtenTexts }: Tuning,
  needed: ReadonlySet<EntryId>,
): Change[] {
  const active = activeInputs(view);
  const readOrRewritten = new Set<string>();
  const changes: Change[][] = [];
  const last = lastCuttable(view, keep);
  let calls = 0;
  for (let index = view.rows.length - 1; index >= view.sentFrom; index--) {
    const row = view.rows[index];
    if (!row) continue;
    const { digest } = row;
    if (digest.type === "result" && needed.has(digest.id))
      for (const { path, does, lines } of digest.stamps)
        if (does === "read" && !lines && row.shown === "whole") readOrRewritten.add(path);
    if (digest.type !== "assistant") continue;
    calls++;
    const inputChars = row.wholeCharsByKind.toolInputs;
    if (inputChars === 0) continue;
    const callsSince = (path: string): number =>
      Math.min(calls, view.fileUse(path)?.callsSince ?? calls);
    const isStale = (path: string, chars: number): boolean =>
      readOrRewritten.has(path) || callsSince(path) > callsForWritten(chars, writtenTexts);
    const isShown = row.shown !== "covered" && row.shown !== "unsent";
    const isKept = row.pinned || view.isRestored(digest.id);
    if (index <= last && !isKept && isShown && inputChars >= minChars)
      changes.push(inputChanges(row.entry, inputCuts(view, digest, active, isStale)));
    for (const { path, isWhole } of digest.calls)
      if (isWhole && path !== null) readOrRewritten.add(absolutePath(view, path));
  }
  return changes.reverse().flat();
}

/** The call whose input is shortened, with or without the texts that it writes. */
type InputCut = { call: string; keepsWritten: boolean };

/** The calls of an answer whose inputs are shortened. */
function inputCuts(
  view: View,
  { calls }: AnswerDigest,
  active: ReadonlyMap<string, ToolInput>,
  isStale: (path: string, chars: number) => boolean,
): InputCut[] {
  return calls.flatMap(({ id: call, path, writes, size, shortened: without, withWritten }) => {
    const keepsWritten = writes && path !== null && !isStale(absolutePath(view, path), size);
    const next = keepsWritten ? withWritten : without;
    const now = active.get(call);
    const isWorthIt = next !== null && (now ? sizeOf(now) : size) - next >= minChars / 2;
    return isWorthIt ? [{ call, keepsWritten }] : [];
  });
}

function inputChanges(entry: Entry, cuts: readonly InputCut[]): Change[] {
  if (entry.type !== "assistant" || cuts.length === 0) return [];
  return entry.content.flatMap((block): Change[] => {
    const cut = block.type === "tool_use" && cuts.find(({ call }) => call === block.id);
    const input = cut ? shortened(block.input, cut.keepsWritten, entry.id) : null;
    return cut && input ? [{ kind: "input", entry: entry.id, toolUse: cut.call, input }] : [];
  });
}

/** The last row whose calls belong neither to the newest results nor to the open exchange. */
function lastCuttable(view: View, keep: number): number {
  const results = sentResults(view).filter(({ shown }) => shown !== "covered");
  const newest = results[Math.max(0, results.length - keep)];
  const from = newest ? (view.indexOf(newest.digest.id) ?? 0) : view.rows.length;
  const asked = findLastRow(view.rows, from, ({ digest }) => digest.type === "assistant");
  return Math.min(newest ? asked : view.rows.length, openExchange(view)) - 1;
}
