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
import { tuningOf, type Tuning } from "./tuning.ts";
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
  return cuttableResults(view, policy.keepResults).flatMap((row): ClearableItem[] => {
    const { id } = row.entry;
    const index = view.indexOf(id) ?? 0;
    if (row.chars <= minChars || useful.has(id)) return [];
    const item = (tier: ItemTier, text: string): ClearableItem[] =>
      // Half as much again, so that one placeholder never replaces another.
      row.chars <= text.length * 1.5
        ? []
        : [
            {
              row: index,
              tier,
              changes: [{ kind: "replace", entry: id, text }],
              freed: now.tokensOf(row, index) * (1 - text.length / row.chars),
            },
          ];
    if (stale.has(id)) return item("snip", shortPlaceholder(row));
    const calls = callsSince.get(index) ?? 0;
    if (calls > tuning.clearAfter) return item("microcompact", shortPlaceholder(row));
    return calls > tuning.trimAfter && isLarge(row)
      ? item("budget", headAndTail(row, trim.toChars))
      : [];
  });
}

const isLarge = ({ entry, text }: ResultRow): boolean =>
  (text ?? textOf(entry.content)).length > trim.aboveChars;

/** For each row that is sent, the answers after it. */
function callsSinceRows({ rows, sentFrom }: View): Map<number, number> {
  const calls = new Map<number, number>();
  let since = 0;
  for (let index = rows.length - 1; index >= sentFrom; index--) {
    calls.set(index, since);
    if (rows[index]?.entry.type === "assistant") since++;
  }
  return calls;
}

/** Long texts in the inputs of calls whose results may be cleared. */
function inputItems(
  view: View,
  now: Signals,
  policy: Policy,
  { writtenAfter }: Tuning,
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
    const callsSince = (path: string): number =>
      Math.min(calls, view.fileUse(path)?.callsSince ?? calls);
    const isStale = (path: string): boolean =>
      readOrRewritten.has(path) || callsSince(path) > writtenAfter;
    const isShown = row.shown !== "covered" && row.shown !== "unsent";
    const mayClear = !row.pinned && isShown && row.wholeCharsByKind.toolInputs >= minChars;
    if (index <= last && mayClear) {
      const changes = inputChanges(view, entry, active, isStale);
      const chars = changes.reduce((sum, { freed }) => sum + freed, 0);
      if (changes.length > 0)
        items.push({
          row: index,
          tier: "microcompact",
          changes: changes.map(({ change }) => change),
          freed: (now.tokensOf(row, index) * chars) / Math.max(1, row.chars),
        });
    }
    for (const { input } of callsIn(entry)) {
      const path = fileOfCall(view, input);
      if (path !== null && typeof input["content"] === "string") readOrRewritten.add(path);
    }
  }
  return items;
}

/** The shorter inputs of an answer's calls, and the characters that each frees. */
function inputChanges(
  view: View,
  entry: EntryOf<"assistant">,
  active: ReadonlyMap<string, ToolUseBlock["input"]>,
  isStale: (path: string) => boolean,
): { change: Change; freed: number }[] {
  return callsIn(entry).flatMap(({ id, input }) => {
    const path = fileOfCall(view, input);
    const writes = path !== null && (replacesText(input) || typeof input["content"] === "string");
    const keeps = writes && !isStale(path);
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
