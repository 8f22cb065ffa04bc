/** Items that later calls are unlikely to need, each with its tier. */

import { textOf, type ToolInput } from "../protocol/block.ts";
import type { Change, Entry, EntryId } from "../protocol/entry.ts";
import type { Policy } from "../protocol/policy.ts";
import { rowTokens } from "./meter.ts";
import { headAndTail, shortPlaceholder } from "./placeholder.ts";
import { cuttableResults, openExchange, sentResults, type ResultRow } from "./protect.ts";
import { recentReads } from "./recent-reads.ts";
import { supersededReads, surplusResults } from "./superseded-reads.ts";
import { activeInputs, shortened, sizeOf } from "./tool-inputs.ts";
import { isSearch } from "./tool-names.ts";
import { absolutePath } from "./touches.ts";
import { callsForWritten, tuningOf, type Tuning } from "./tuning.ts";
import { findLastRow } from "./row-range.ts";
import type { AnswerDigest, Signals, View } from "./types.ts";

export type ItemTier = "budget" | "snip" | "microcompact";

/** One row, and the tokens that its changes free. */
export type ClearableItem = { row: number; tier: ItemTier; changes(): Change[]; freed: number };

/** Results and inputs of fewer characters are not worth their placeholder. */
const minChars = 100;
/** A result of more characters keeps its ends before it is cleared, at most this many. */
const trim = { aboveChars: 5_000, toChars: 2_000 };

type Known = { version: number; policy: Policy; items: readonly ClearableItem[] };
const known = new WeakMap<object, Known>();

/** In the order of their rows. Computed once for each version of the view. */
export function clearableItems(now: Signals): readonly ClearableItem[] {
  const { view, policy } = now;
  const before = known.get(view.tokenCounts);
  if (before?.version === view.version && before.policy === policy) return before.items;
  const tuning = tuningOf(policy);
  const useful = recentReads(view, tuning);
  const items = [...resultItems(now, tuning, useful), ...inputItems(now, tuning, useful)].sort(
    (a, b) => a.row - b.row,
  );
  known.set(view.tokenCounts, { version: view.version, policy, items });
  return items;
}

function resultItems(
  { view, policy, rules }: Signals,
  tuning: Tuning,
  useful: ReadonlySet<EntryId>,
): ClearableItem[] {
  const searches = surplusResults(view, policy.keepSearches, isSearch);
  const stale = new Set([...supersededReads(view), ...searches]);
  const callsSince = callsSinceRows(view);
  const tokens = rowTokens(view, rules);
  const items: ClearableItem[] = [];
  const { sentFrom } = view;
  let index = sentFrom;
  for (const row of cuttableResults(view, policy.keepResults)) {
    const { id } = row.digest;
    // They are in the order of the rows.
    while (view.rows[index] !== row) index++;
    if (row.chars <= minChars || useful.has(id)) continue;
    const calls = callsSince[index - sentFrom] ?? 0;
    const [tier, text] = stale.has(id)
      ? (["snip", shortPlaceholder(row)] as const)
      : calls > tuning.clearAfter
        ? (["microcompact", shortPlaceholder(row)] as const)
        : calls > tuning.trimAfter && isLarge(row)
          ? (["budget", headAndTail(row, trim.toChars)] as const)
          : [];
    // Half as much again, so that one placeholder never replaces another.
    if (tier === undefined || row.chars <= text.length * 1.5) continue;
    const freed = tokens.get(index) * (1 - text.length / row.chars);
    items.push({ row: index, tier, changes: () => [{ kind: "replace", entry: id, text }], freed });
  }
  return items;
}

const isLarge = (row: ResultRow): boolean =>
  row.charsByKind.toolResults > trim.aboveChars &&
  (row.text ?? textOf(row.entry.content)).length > trim.aboveChars;

/** The answers after each row, from the first one that is sent on. */
function callsSinceRows({ rows, sentFrom }: View): Uint32Array {
  const calls = new Uint32Array(Math.max(0, rows.length - sentFrom));
  let since = 0;
  for (let index = rows.length - 1; index >= sentFrom; index--) {
    calls[index - sentFrom] = since;
    if (rows[index]?.digest.type === "assistant") since++;
  }
  return calls;
}

/** Long texts in the inputs of calls whose results may be cleared. */
function inputItems(
  { view, policy, rules }: Signals,
  { writtenTexts }: Tuning,
  useful: ReadonlySet<EntryId>,
): ClearableItem[] {
  const active = activeInputs(view);
  const tokens = rowTokens(view, rules);
  const readOrRewritten = new Set<string>();
  const items: ClearableItem[] = [];
  const last = lastCuttable(view, policy.keepResults);
  let calls = 0;
  const { sentFrom } = view;
  for (let index = view.rows.length - 1; index >= sentFrom; index--) {
    const row = view.rows[index];
    if (!row) continue;
    const { digest } = row;
    if (digest.type === "result" && useful.has(digest.id))
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
    const mayClear = !isKept && isShown && inputChars >= minChars;
    if (index <= last && mayClear) {
      const cuts = inputCuts(view, digest, active, isStale);
      const chars = cuts.reduce((sum, { freed }) => sum + freed, 0);
      if (cuts.length > 0)
        items.push({
          row: index,
          tier: "microcompact",
          changes: () => inputChanges(row.entry, cuts),
          freed: (tokens.get(index) * chars) / row.chars,
        });
    }
    for (const { path, isWhole } of digest.calls)
      if (isWhole && path !== null) readOrRewritten.add(absolutePath(view, path));
  }
  return items;
}

/** What to shorten: the input of one call, with or without the texts that it writes. */
type InputCut = { call: string; keepsWritten: boolean; freed: number };

/** The calls of an answer whose inputs are shortened, and the characters that each frees. */
function inputCuts(
  view: View,
  { calls }: AnswerDigest,
  active: ReadonlyMap<string, ToolInput>,
  isStale: (path: string, chars: number) => boolean,
): InputCut[] {
  const cuts: InputCut[] = [];
  for (const { id: call, path, writes, size, shortened, withWritten } of calls) {
    const keepsWritten = writes && path !== null && !isStale(absolutePath(view, path), size);
    const next = keepsWritten ? withWritten : shortened;
    if (next === null) continue;
    const now = active.get(call);
    const freed = (now ? sizeOf(now) : size) - next;
    if (freed < minChars / 2) continue;
    cuts.push({ call, keepsWritten, freed });
  }
  return cuts;
}

function inputChanges(entry: Entry, cuts: readonly InputCut[]): Change[] {
  if (entry.type !== "assistant") return [];
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
