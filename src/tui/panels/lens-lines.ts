/** What the lens shows of a call: the messages as sent, and what was removed after it. Pure. */

import { counted } from "../../protocol/in-words.ts";
import type { View } from "../../context/types.ts";
import type { Block } from "../../protocol/block.ts";
import type { Change, Entry, EntryId, EntryOf } from "../../protocol/entry.ts";
import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { badges, showTokens, showUsd } from "../transcript/format.ts";
import { atMost, fit, wrapAnywhere } from "../wrap.ts";
import { describeEntry } from "./describe.ts";

/** The number of entries before each call. */
export const callsIn = (path: readonly Entry[]): number[] =>
  path.flatMap((entry, index) =>
    entry.type === "assistant" && entry.stop !== "failed" ? [index] : [],
  );

/** Items of a cut that are listed. */
const maxItems = 12;

/**
 * The compactions and undos between call `at` and the next; for the last call, those since. One that
 * was undone within that time is left out. `view` is one that knows the whole path.
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
  const made = new Set(between.flatMap(({ id, type }) => (type === "cut" ? [id] : [])));
  const undone = new Set(
    between.flatMap((entry) =>
      entry.type === "restore" && entry.entry === undefined ? [entry.cut] : [],
    ),
  );
  return between.flatMap((entry) => {
    if (entry.type === "restore") {
      if (made.has(entry.cut) && undone.has(entry.cut)) return [];
      const cut = path.find(({ id }) => id === entry.cut);
      const what = cut?.type === "cut" ? badges[cut.tier] : "compaction";
      return [theme.paint("boundary", `↺ undone ${when}: ${what}`)];
    }
    if (entry.type !== "cut" || undone.has(entry.id)) return [];
    const { tier, price, changes } = entry;
    const freed = `${showTokens(price.usedBefore - price.usedAfter)} tokens, ${showUsd(price.usd)}`;
    const ids = [...new Set(changes.flatMap((change) => idsOf(change, entry, path)))];
    const rest = ids.length - maxItems;
    return [
      theme.paint("boundary", `✂ removed ${when}, ${badges[tier]}: ${freed}`),
      ...ids.slice(0, maxItems).map((id) => `  - ${describeId(id, path, view)}`),
      ...(rest > 0 ? [`  - and ${rest} more`] : []),
    ];
  });
}

function idsOf(change: Change, cut: EntryOf<"cut">, path: readonly Entry[]): EntryId[] {
  if (change.kind !== "cover") return [change.entry];
  const from = path.findIndex(({ id }) => id === change.span.from);
  const to = path.findIndex(({ id }) => id === change.span.to);
  if (from < 0 || to < from) return [];
  const sent = new Set(["user", "context", "assistant", "result"]);
  return path
    .slice(from, to + 1)
    .filter(({ id, type }) => sent.has(type) && id !== cut.id)
    .map(({ id }) => id);
}

function describeId(id: EntryId, path: readonly Entry[], view: View): string {
  const entry = path.find((one) => one.id === id);
  return entry ? describeEntry(view, entry) : "";
}

/** The position of the slider: one cell per call, or per group of calls where columns are few. */
export function sliderLine(at: number, calls: number, columns: number, theme: Theme): string {
  const cells = Math.max(2, Math.min(calls + 1, columns - 14));
  const cell = calls === 0 ? 0 : Math.round((at / calls) * (cells - 1));
  const track = `${"─".repeat(cell)}●${"─".repeat(cells - 1 - cell)}`;
  return fit(`${theme.paint("dim", "first ")}${theme.paint("accent", track)} now`, columns);
}

/** Lines shown of a long block; the transcript has all of it. */
const maxLines = 200;

/** Lays out messages. The blocks of two calls are mostly the same: each is laid out once. */
export class MessageLines {
  #columns = 0;
  #known = new Map<string, readonly string[]>();

  /** Everything that is sent, message by message. */
  of({ messages }: View, columns: number, theme: Theme): string[] {
    const before = columns === this.#columns ? this.#known : new Map<string, readonly string[]>();
    const used = new Map<string, readonly string[]>();
    const lines: string[] = [];
    for (const { role, content } of messages) {
      lines.push(theme.paint("heading", role));
      for (const block of content) {
        const text = blockText(block);
        const own = before.get(text) ?? blockLines(text, columns);
        used.set(text, own);
        lines.push(...own);
      }
    }
    [this.#columns, this.#known] = [columns, used];
    return lines;
  }
}

const blockLines = (text: string, columns: number): string[] =>
  atMost(
    sanitize(text).split("\n"),
    maxLines,
    (rest) => `... ${counted(rest, "more line")}`,
  ).flatMap((line) => wrapAnywhere(`  ${line}`, columns));

function blockText(block: Block): string {
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
      return `[result of ${block.tool_use_id}${block.is_error ? ", an error" : ""}]\n${block.content.map(blockText).join("\n")}`;
    case "image":
      return `[image, ${block.source.media_type}]`;
    case "compaction":
      return `[the server's summary] ${block.content ?? ""}`;
    default:
      return block satisfies never;
  }
}
