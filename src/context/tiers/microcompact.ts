/**
 * Tier 3, "clear". Fires at any size when the prompt cache is cold: everything is written again
 * anyway, so that clearing costs nothing. Replaces old results and the long texts in the inputs of old
 * calls. Never touches what `protect.ts` names, nor what the next calls will probably need: the newest
 * readings of files in work, and the texts last written into them.
 */

import type { ToolInput, ToolUseBlock } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import { ttlMs } from "../../protocol/model.ts";
import { handleOf, openExchange } from "../view/rows.ts";
import { cuttableResults, neededReads, sentResults } from "./protect.ts";
import { replaceWhole, shortened, measureInput } from "./replacement.ts";
import { replacesText } from "../view/written-texts.ts";
import { findCallFile } from "../view/touches.ts";
import { callsForWritten, chooseTuning, type Tuning } from "../tuning.ts";
import type { Row, Signals, View } from "../types.ts";

export const microcompact = (now: Signals): Change[] => (isCold(now) ? clearable(now) : []);

/** The server has dropped its cache of the last request, as far as can be known. */
export function isCold({ reading, policy }: Signals): boolean {
  if (policy.policy !== "thresholds") return reading.cache.state === "cold";
  return reading.idleMs !== null && reading.idleMs > ttlMs[policy.cacheTtl];
}

/** Everything that this tier may clear, whatever the cache holds. */
export function clearable({ view, policy }: Signals): Change[] {
  const tuning = chooseTuning(policy);
  const needed = neededReads(view, policy);
  const oldTo = lastRowBefore(view, tuning.clearAfter);
  const rows = cuttableResults(view, policy.keepResults).filter(
    ({ entry }) => !needed.has(entry.id) && (view.indexOf(entry.id) ?? Infinity) <= oldTo,
  );
  const inputs = tuning.clearsInputs ? clearInputs(view, policy.keepResults, tuning, needed) : [];
  return [...replaceWhole(view, rows, "cleared"), ...inputs];
}

/** The last row after which at least so many calls were answered. */
function lastRowBefore({ rows }: View, calls: number): number {
  let since = 0;
  let row = rows.length - 1;
  for (; row >= 0 && since < calls; row--) if (rows[row]?.entry.type === "assistant") since++;
  return row;
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
  const readOrRewritten = new Set<string>();
  const changes: Change[][] = [];
  const last = lastCuttable(view, keep);
  let calls = 0;
  const isStale = (path: string, chars: number): boolean =>
    readOrRewritten.has(path) ||
    Math.min(calls, view.fileUse(path)?.callsSince ?? calls) > callsForWritten(chars, writtenTexts);
  for (let index = view.rows.length - 1; index >= 0; index--) {
    const row = view.rows[index];
    if (!row || row.shown === "covered") continue;
    const { entry } = row;
    if (entry.type === "result" && needed.has(entry.id))
      for (const { path, does, lines } of entry.stamps ?? [])
        if (does === "read" && !lines && row.shown === "whole") readOrRewritten.add(path);
    if (entry.type !== "assistant") continue;
    calls++;
    const inputChars = row.wholeCharsByKind.toolInputs;
    if (inputChars === 0) continue;
    const isKept = row.shown === "unsent" || row.pinned || view.isRestored(entry.id);
    if (index <= last && !isKept && inputChars >= minChars)
      changes.push(shortenInputs(view, row, entry, isStale));
    for (const block of entry.content) {
      const path = block.type === "tool_use" ? findCallFile(view, block.input) : null;
      if (path !== null && block.type === "tool_use" && givesWhole(block.input))
        readOrRewritten.add(path);
    }
  }
  return changes.reverse().flat();
}

/** Whether a call gives the whole content of the file that it names. */
const givesWhole = (input: ToolInput): boolean => typeof input["content"] === "string";

/** Shortens an answer's inputs, except the texts that it wrote and that are not stale. */
function shortenInputs(
  view: View,
  row: Row,
  entry: EntryOf<"assistant">,
  isStale: (path: string, chars: number) => boolean,
): Change[] {
  return entry.content.flatMap((block): Change[] => {
    if (block.type !== "tool_use") return [];
    const { id: toolUse, input } = block;
    const path = findCallFile(view, input);
    const writes = path !== null && (givesWhole(input) || replacesText(input));
    const { size, without, withWritten } = shortInputs(block, handleOf(view, entry.id));
    const next = writes && !isStale(path, size) ? withWritten : without;
    const now = row.inputs?.get(toolUse);
    const isWorthIt = next && (now ? measureInput(now) : size) - measureInput(next) >= minChars / 2;
    return isWorthIt ? [{ kind: "input", entry: entry.id, toolUse, input: next }] : [];
  });
}

type ShortInputs = { size: number; without: ToolInput | null; withWritten: ToolInput | null };
const known = new WeakMap<ToolUseBlock, ShortInputs>();

/** A call's input in both shorter forms, made once: a forecast asks for them after each entry. */
function shortInputs(block: ToolUseBlock, entry: EntryId | null): ShortInputs {
  const { input } = block;
  const made = known.get(block) ?? {
    size: measureInput(input),
    without: shortened(input, false, entry),
    withWritten: shortened(input, true, entry),
  };
  known.set(block, made);
  return made;
}

/** The last row whose calls belong neither to the newest results nor to the open exchange. */
function lastCuttable(view: View, keep: number): number {
  const results = sentResults(view);
  const newest = results[Math.max(0, results.length - keep)];
  const from = newest && (view.indexOf(newest.entry.id) ?? 0);
  const asked = view.rows
    .slice(0, from)
    .findLastIndex(({ entry }) => newest && entry.type === "assistant");
  return Math.min(newest ? asked : view.rows.length, openExchange(view)) - 1;
}
