/** What the lens shows of a call: the messages as they were sent, and what was cut behind it. Pure. */

import type { View } from "../../context/types.ts";
import type { Block } from "../../protocol/block.ts";
import type { Change, Entry, EntryId, EntryOf } from "../../protocol/entry.ts";
import { sanitise } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import { badges, showTokens, showUsd } from "../transcript/format.ts";
import { fit, wrapAnywhere } from "../wrap.ts";
import { describeEntry } from "./describe.ts";

/** Entries that stood before each call. */
export const callsIn = (path: readonly Entry[]): number[] =>
  path.flatMap((entry, index) =>
    entry.type === "assistant" && entry.stop !== "failed" ? [index] : [],
  );

/** Items of a cut that are listed; the rest is a number. */
const mostItems = 12;

/**
 * The cuts and restores between call `at` and the one after it; where there is no such call, those
 * since the last one. `view` is one that knows the whole path.
 */
export function cutLines(
  path: readonly Entry[],
  calls: readonly number[],
  at: number,
  view: View,
  theme: Theme,
): string[] {
  const call = Math.min(at, calls.length - 1);
  const next = call + 1 < calls.length ? `call ${call + 2}` : "now";
  const when = at < calls.length ? `between this call and ${next}` : "since the last call";
  const between = path.slice(calls[call] ?? 0, calls[call + 1] ?? path.length);
  return between.flatMap((entry) => {
    if (entry.type === "restore") {
      const text = `↺ taken back ${when}: ${entry.cut}`;
      return [theme.paint("boundary", text)];
    }
    if (entry.type !== "cut") return [];
    const { tier, price, changes } = entry;
    const freed = `${showTokens(price.usedBefore - price.usedAfter)} tokens, ${showUsd(price.usd)}`;
    const ids = [...new Set(changes.flatMap((change) => idsOf(change, entry, path)))];
    const rest = ids.length - mostItems;
    return [
      theme.paint("boundary", `✂ cut ${when}, ${badges[tier]}: ${freed}`),
      ...ids.slice(0, mostItems).map((id) => `  - #${id} ${wordsFor(id, path, view)}`),
      ...(rest > 0 ? [`  - and ${rest} more`] : []),
    ];
  });
}

function idsOf(change: Change, cut: EntryOf<"cut">, path: readonly Entry[]): EntryId[] {
  if (change.kind !== "cover") return [change.entry];
  const from = path.findIndex(({ id }) => id === change.span.from);
  const to = path.findIndex(({ id }) => id === change.span.to);
  if (from < 0 || to < from) return [];
  const told = new Set(["user", "context", "assistant", "result"]);
  return path
    .slice(from, to + 1)
    .filter(({ id, type }) => told.has(type) && id !== cut.id)
    .map(({ id }) => id);
}

function wordsFor(id: EntryId, path: readonly Entry[], view: View): string {
  const entry = path.find((one) => one.id === id);
  return entry ? describeEntry(view, entry) : "";
}

/** Where the slider stands: one sign a call, gathered where there are more calls than columns. */
export function sliderLine(at: number, calls: number, columns: number, theme: Theme): string {
  const cells = Math.max(2, Math.min(calls + 1, columns - 14));
  const cell = calls === 0 ? 0 : Math.round((at / calls) * (cells - 1));
  const track = `${"─".repeat(cell)}●${"─".repeat(cells - 1 - cell)}`;
  return fit(`${theme.paint("dim", "first ")}${theme.paint("accent", track)} now`, columns);
}

/** Longer blocks show so many lines; the whole is in the transcript. */
const mostLines = 200;

/** Everything that is sent, message by message. */
export function messageLines(view: View, columns: number, theme: Theme): string[] {
  return view.messages.flatMap(({ role, content }) => [
    theme.paint("heading", role),
    ...content.flatMap((block) => {
      const all = sanitise(wordsOf(block)).split("\n");
      const more = all.length > mostLines ? [`... ${all.length - mostLines} more lines`] : [];
      return [...all.slice(0, mostLines), ...more].flatMap((line) =>
        wrapAnywhere(`  ${line}`, columns),
      );
    }),
  ]);
}

function wordsOf(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return `[thinking] ${block.thinking}`;
    case "redacted_thinking":
      return "[thinking, redacted]";
    case "tool_use":
      return `[call ${block.id}] ${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return `[result of ${block.tool_use_id}${block.is_error ? ", an error" : ""}]\n${block.content.map(wordsOf).join("\n")}`;
    case "image":
      return `[image, ${block.source.media_type}]`;
    case "compaction":
      return `[the server's summary] ${block.content ?? ""}`;
    default:
      return block satisfies never;
  }
}
