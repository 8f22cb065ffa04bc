/** Policy "economy": what later calls will hardly need, item by item. */

import type { AssistantBlock, ToolInput } from "../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../protocol/entry.ts";
import { pathOf } from "../protocol/other-agents.ts";
import type { Policy } from "../protocol/policy.ts";
import { replacesText, shortened, sizeOf, activeInputs } from "./tool-inputs.ts";
import { touchedFiles, recentReads } from "./recent-reads.ts";
import { economyTuning } from "./economy-tuning.ts";
import { shortPlaceholder } from "./placeholder.ts";
import { cuttableResults, isResult, openExchange } from "./protect.ts";
import type { Row, Signals, View } from "./types.ts";

/** Changes of one row, and the tokens that they free. */
export type ClearableItem = { row: number; changes: Change[]; freed: number };

/** Results of fewer characters are not worth their placeholder. */
const leastChars = 100;
/** What a call wrote into a file stays while that file was touched within so many calls. */
const writtenCalls = 160;

/** In order of their rows. */
export function clearableItems(view: View, now: Signals, policy: Policy): ClearableItem[] {
  const useful = recentReads(view, economyTuning(now.reading.windowTokens));
  return [...results(view, now, policy, useful), ...inputs(view, now, policy, useful)].sort(
    (a, b) => a.row - b.row,
  );
}

function results(
  view: View,
  now: Signals,
  policy: Policy,
  useful: ReadonlySet<EntryId>,
): ClearableItem[] {
  return cuttableResults(view, policy.keepResults).flatMap((row): ClearableItem[] => {
    const { id } = row.entry;
    if (row.chars <= leastChars || useful.has(id)) return [];
    const text = shortPlaceholder(row);
    // Half as much again, so that a placeholder never gives way to another one.
    if (row.chars <= text.length * 1.5) return [];
    const freed = now.tokensOf(row) * (1 - text.length / row.chars);
    return [{ row: view.indexOf(id) ?? 0, changes: [{ kind: "replace", entry: id, text }], freed }];
  });
}

/** Long texts in the inputs of calls whose results may go, too. */
function inputs(
  view: View,
  now: Signals,
  policy: Policy,
  useful: ReadonlySet<EntryId>,
): ClearableItem[] {
  const files = touchedFiles(view);
  const active = activeInputs(view);
  const rereadOrRewritten = new Set<string>();
  const items: ClearableItem[] = [];
  const last = lastCuttable(view, policy.keepResults);
  let calls = 0;
  for (const [index, row] of [...view.rows.entries()].toReversed()) {
    const { entry } = row;
    if (entry.type === "result" && useful.has(entry.id))
      for (const { path, does, lines } of entry.stamps ?? [])
        if (does === "read" && !lines && row.shown === "whole") rereadOrRewritten.add(path);
    if (entry.type !== "assistant") continue;
    calls++;
    const mayGo = index <= last && !row.pinned && row.shown !== "covered" && row.shown !== "unsent";
    const callsSince = (path: string): number =>
      Math.min(calls, files.get(path)?.callsSince ?? calls);
    const stale = (path: string): boolean =>
      rereadOrRewritten.has(path) || callsSince(path) > writtenCalls;
    if (mayGo) items.push(...itemOf(entry, row, index, now, active, stale));
    for (const { input } of callsOf(entry.content)) {
      const path = pathOf(input);
      if (path !== null && typeof input["content"] === "string") rereadOrRewritten.add(path);
    }
  }
  return items;
}

function itemOf(
  entry: EntryOf<"assistant">,
  row: Row,
  index: number,
  now: Signals,
  active: ReadonlyMap<string, ToolInput>,
  isStale: (path: string) => boolean,
): ClearableItem[] {
  let chars = 0;
  const changes: Change[] = [];
  for (const { id, input } of callsOf(entry.content)) {
    const path = pathOf(input);
    const writes = path !== null && (replacesText(input) || typeof input["content"] === "string");
    const stays = writes && !isStale(path);
    const next = shortened(input, new Set(stays ? ["written"] : []), entry.id);
    const freed = next ? sizeOf(active.get(id) ?? input) - sizeOf(next) : 0;
    if (next === null || freed < leastChars / 2) continue;
    chars += freed;
    changes.push({ kind: "input", entry: entry.id, toolUse: id, input: next });
  }
  if (changes.length === 0) return [];
  return [{ row: index, changes, freed: (now.tokensOf(row) * chars) / Math.max(1, row.chars) }];
}

const callsOf = (content: readonly AssistantBlock[]) =>
  content.flatMap((block) => (block.type === "tool_use" ? [block] : []));

/** The last row whose calls belong neither to the newest results nor to the open exchange. */
function lastCuttable(view: View, keep: number): number {
  const results = view.rows.filter((row) => isResult(row) && row.shown !== "covered");
  const newest = results[results.length - keep];
  const from = newest ? (view.indexOf(newest.entry.id) ?? 0) : view.rows.length;
  const asked = view.rows.slice(0, from).findLastIndex(({ entry }) => entry.type === "assistant");
  return Math.min(newest ? asked : view.rows.length, openExchange(view)) - 1;
}
