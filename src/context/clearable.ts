/** What later calls will hardly need, item by item, and the tier that each belongs to. */

import { textOf, type ToolUseBlock } from "../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../protocol/entry.ts";

import type { Policy } from "../protocol/policy.ts";
import { headAndTail, shortPlaceholder } from "./placeholder.ts";
import { cuttableResults, openExchange, sentResults, type ResultRow } from "./protect.ts";
import { recentReads } from "./recent-reads.ts";
import { supersededReads, surplusResults } from "./superseded-reads.ts";
import { activeInputs, replacesText, shortened, sizeOf } from "./tool-inputs.ts";
import { isSearch } from "./tool-names.ts";
import { fileOfCall } from "./touches.ts";
import { callsForWritten, tuningOf, type Tuning } from "./tuning.ts";
import { findLastRow } from "./walk-rows.ts";
import type { Signals, View } from "./types.ts";

export type ItemTier = "budget" | "snip" | "microcompact";

/** Changes of one row, and the tokens that they free. */
export type ClearableItem = { row: number; tier: ItemTier; changes: Change[]; freed: number };

/** Results and inputs of fewer characters are not worth their placeholder. */
const minChars = 100;
/** A result of more characters keeps its ends before it is cleared, at most this many. */
const trim = { aboveChars: 5_000, toChars: 2_000 };

type Known = { version: number; policy: Policy; items: readonly ClearableItem[] };
const known = new WeakMap<object, Known>();

/** In the order of their rows. Computed once for each version of the view. */
export function clearableItems(view: View, now: Signals, policy: Policy): readonly ClearableItem[] {
  const before = known.get(view.tokenCounts);
  if (before?.version === view.version && before.policy === policy) return before.items;
  const tuning = tuningOf(policy);
  const useful = recentReads(view, tuning);
  const items = [
    ...resultItems(view, now, policy, tuning, useful),
    ...inputItems(view, now, policy, tuning, useful),
  ].sort((a, b) => a.row - b.row);
  known.set(view.tokenCounts, { version: view.version, policy, items });
  return items;
}

function resultItems(
  view: View,
  now: Signals,
  policy: Policy,
  tuning: Tuning,
  useful: ReadonlySet<EntryId>,
): ClearableItem[] {
  const searches = surplusResults(view, policy.keepSearches, isSearch);
  const stale = new Set([...supersededReads(view), ...searches]);
  const callsSince = callsSinceRows(view);
  const items: ClearableItem[] = [];
  let index = view.sentFrom;
  for (const row of cuttableResults(view, policy.keepResults)) {
    const { id } = row.entry;
    // They are in the order of the rows.
    while (view.rows[index] !== row) index++;
    if (row.chars <= minChars || useful.has(id)) continue;
    const calls = callsSince[index] ?? 0;
    const [tier, text] = stale.has(id)
      ? (["snip", shortPlaceholder(row)] as const)
      : calls > tuning.clearAfter
        ? (["microcompact", shortPlaceholder(row)] as const)
        : calls > tuning.trimAfter && isLarge(row)
          ? (["budget", headAndTail(row, trim.toChars)] as const)
          : [];
    // Half as much again, so that one placeholder never replaces another.
    if (tier === undefined || row.chars <= text.length * 1.5) continue;
    const freed = now.tokensOf(row, index) * (1 - text.length / row.chars);
    items.push({ row: index, tier, changes: [{ kind: "replace", entry: id, text }], freed });
  }
  return items;
}

const isLarge = ({ entry, text, charsByKind }: ResultRow): boolean =>
  charsByKind.toolResults > trim.aboveChars &&
  (text ?? textOf(entry.content)).length > trim.aboveChars;

/** The answers after each row that is sent. */
function callsSinceRows({ rows, sentFrom }: View): Uint32Array {
  const calls = new Uint32Array(rows.length);
  let since = 0;
  for (let index = rows.length - 1; index >= sentFrom; index--) {
    calls[index] = since;
    if (rows[index]?.entry.type === "assistant") since++;
  }
  return calls;
}

/** Long texts in the inputs of calls whose results may be cleared. */
function inputItems(
  view: View,
  now: Signals,
  policy: Policy,
  { writtenTexts }: Tuning,
  useful: ReadonlySet<EntryId>,
): ClearableItem[] {
  const active = activeInputs(view);
  const readOrRewritten = new Set<string>();
  const items: ClearableItem[] = [];
  const last = lastCuttable(view, policy.keepResults);
  let calls = 0;
  for (let index = view.rows.length - 1; index >= view.sentFrom; index--) {
    const row = view.rows[index];
    if (!row) continue;
    const { entry } = row;
    if (entry.type === "result" && useful.has(entry.id))
      for (const { path, does, lines } of entry.stamps ?? [])
        if (does === "read" && !lines && row.shown === "whole") readOrRewritten.add(path);
    if (entry.type !== "assistant") continue;
    calls++;
    const inputChars = row.wholeCharsByKind.toolInputs;
    if (inputChars === 0) continue;
    const callsSince = (path: string): number =>
      Math.min(calls, view.fileUse(path)?.callsSince ?? calls);
    const isStale = (path: string, chars: number): boolean =>
      readOrRewritten.has(path) || callsSince(path) > callsForWritten(chars, writtenTexts);
    const isShown = row.shown !== "covered" && row.shown !== "unsent";
    const isKept = row.pinned || view.isRestored(entry.id);
    const mayClear = !isKept && isShown && inputChars >= minChars;
    if (index <= last && mayClear) {
      const changes = inputChanges(view, entry, active, isStale);
      const chars = changes.reduce((sum, { freed }) => sum + freed, 0);
      if (changes.length > 0)
        items.push({
          row: index,
          tier: "microcompact",
          changes: changes.map(({ change }) => change),
          freed: (now.tokensOf(row, index) * chars) / row.chars,
        });
    }
    for (const path of filesWrittenBy(view, entry)) readOrRewritten.add(path);
  }
  return items;
}

/** Each answer is read once: an old one is on disk. */
const written = new WeakMap<EntryOf<"assistant">, readonly string[]>();
const none: readonly string[] = [];

/** The files whose whole content an answer's calls give. */
function filesWrittenBy(view: View, entry: EntryOf<"assistant">): readonly string[] {
  const before = written.get(entry);
  if (before) return before;
  const paths = callsIn(entry).flatMap(({ input }) => {
    const path = typeof input["content"] === "string" ? fileOfCall(view, input) : null;
    return path === null ? [] : [path];
  });
  written.set(entry, paths.length > 0 ? paths : none);
  return paths;
}

/** The shorter inputs of an answer's calls, and the characters that each frees. */
function inputChanges(
  view: View,
  entry: EntryOf<"assistant">,
  active: ReadonlyMap<string, ToolUseBlock["input"]>,
  isStale: (path: string, chars: number) => boolean,
): { change: Change; freed: number }[] {
  return callsIn(entry).flatMap(({ id, input }) => {
    const path = fileOfCall(view, input);
    const writes = path !== null && (replacesText(input) || typeof input["content"] === "string");
    const keeps = writes && !isStale(path, sizeOf(input));
    const next = shortened(input, new Set(keeps ? ["written"] : []), entry.id);
    const freed = next ? sizeOf(active.get(id) ?? input) - sizeOf(next) : 0;
    if (next === null || freed < minChars / 2) return [];
    return [{ change: { kind: "input", entry: entry.id, toolUse: id, input: next }, freed }];
  });
}

const callsIn = ({ content }: EntryOf<"assistant">): ToolUseBlock[] =>
  content.filter((block): block is ToolUseBlock => block.type === "tool_use");

/** The last row whose calls belong neither to the newest results nor to the open exchange. */
function lastCuttable(view: View, keep: number): number {
  const results = sentResults(view).filter(({ shown }) => shown !== "covered");
  const newest = results[results.length - keep];
  const from = newest ? (view.indexOf(newest.entry.id) ?? 0) : view.rows.length;
  const asked = findLastRow(view.rows, from, ({ entry }) => entry.type === "assistant");
  return Math.min(newest ? asked : view.rows.length, openExchange(view)) - 1;
}
