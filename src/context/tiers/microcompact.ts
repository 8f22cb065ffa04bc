/**
 * Tier 3, "clear". Fires at any size when the prompt cache is cold: everything is written again
 * anyway, so clearing costs nothing. Also fires above 85 % of the window if clearing alone frees a quarter of
 * it, which postpones the summary. Replaces old results, and texts in old call inputs that were replaced
 * since. Never touches protected results (`protect.ts`), nor the newest reads of files in use.
 */

import type { ToolInput, ToolUseBlock } from "../../protocol/block.ts";
import type { Change, EntryId } from "../../protocol/entry.ts";
import { keptCalls } from "../../protocol/policy.ts";
import { handleOf, openExchange } from "../view/rows.ts";
import { cuttableResults, neededReads, sentResults } from "./protect.ts";
import { measureInput, replaceWhole, shortened } from "./replacement.ts";
import { summaryTokens } from "../summary/when.ts";
import { findCallFile } from "../view/touches.ts";
import type { Signals, View } from "../types.ts";

export const microcompact = (now: Signals): Change[] =>
  isCold(now) || isFull(now) ? clearable(now) : [];

const isFull = ({ reading, policy }: Signals): boolean =>
  policy.minFreed > 0 && reading.usedTokens > summaryTokens(reading, policy);

/** The server has presumably dropped its cache of the last request. */
export const isCold = ({ reading }: Pick<Signals, "reading">): boolean =>
  reading.cache.state === "cold";

/** Everything that this tier may clear, regardless of the cache. */
export function clearable(now: Signals): Change[] {
  const { view, policy, rules } = now;
  const needed = neededReads(now);
  const { results } = keptCalls(policy, rules.windowTokens);
  const oldTo = lastRowBefore(view, results);
  const rows = cuttableResults(view, policy.keepResults).filter(
    ({ entry }) => !needed.has(entry.id) && (view.indexOf(entry.id) ?? Infinity) <= oldTo,
  );
  const inputs = policy.keepFileCalls > 0 ? clearInputs(view, policy.keepResults, needed) : [];
  return [...replaceWhole(view, rows, "cleared"), ...inputs];
}

/** The last row followed by at least `calls` answers. */
function lastRowBefore({ rows }: View, calls: number): number {
  let since = 0;
  let row = rows.length - 1;
  for (; row >= 0 && since < calls; row--) if (rows[row]?.entry.type === "assistant") since++;
  return row;
}

/** Shorter texts are not worth a placeholder. */
const minChars = 100;

/**
 * Shortens call inputs whose results may be cleared: texts that the call replaced, and texts it wrote to a file
 * that was rewritten since or whose newest read stays in view.
 */
function clearInputs(view: View, keep: number, needed: ReadonlySet<EntryId>): Change[] {
  const rewritten = new Set<string>();
  const changes: Change[][] = [];
  const last = lastCuttable(view, keep);
  for (let index = view.rows.length - 1; index >= 0; index--) {
    const row = view.rows[index];
    if (!row || row.shown === "covered") continue;
    const { entry } = row;
    if (entry.type === "result" && needed.has(entry.id) && row.shown === "whole")
      for (const { path, does, lines } of entry.stamps ?? [])
        if (does === "read" && !lines) rewritten.add(path);
    if (entry.type !== "assistant" || row.wholeCharsByKind.toolInputs < minChars) continue;
    const isKept = row.pinned || view.isRestored(entry.id);
    const calls = entry.content.filter((block) => block.type === "tool_use").toReversed();
    for (const call of calls) {
      const { id: toolUse, input } = call;
      const path = findCallFile(view, input);
      const isReplaced = path !== null && rewritten.has(path);
      if (path !== null && typeof input["content"] === "string") rewritten.add(path);
      if (index > last || isKept) continue;
      const forms = shortForms(call, handleOf(view, entry.id));
      const next = isReplaced ? forms.withoutBoth : forms.withoutReplaced;
      const now = row.inputs?.get(toolUse);
      const size = now ? measureInput(now) : forms.size;
      if (next && size - measureInput(next) >= minChars / 2)
        changes.push([{ kind: "input", entry: entry.id, toolUse, input: next }]);
    }
  }
  return changes.reverse().flat();
}

type ShortForms = {
  size: number;
  withoutReplaced: ToolInput | null;
  withoutBoth: ToolInput | null;
};
const known = new WeakMap<ToolUseBlock, ShortForms>();

/** Both shortened forms of a call's input, cached because the forecast needs them after each entry. */
function shortForms(call: ToolUseBlock, entry: EntryId | null): ShortForms {
  const { input } = call;
  const forms = known.get(call) ?? {
    size: measureInput(input),
    withoutReplaced: shortened(input, false, entry),
    withoutBoth: shortened(input, true, entry),
  };
  known.set(call, forms);
  return forms;
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
