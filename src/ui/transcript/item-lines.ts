/** Lays out an item as lines of a given width. Pure. */

import { blockText } from "../../protocol/block.ts";
import type { Change, EntryOf } from "../../protocol/entry.ts";
import { countLines } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { describeCut, whyCut } from "../../context/describe-cut.ts";
import { callCost, type Prices, sentBy } from "../../protocol/model.ts";
import type { Item, TurnTotals } from "../items.ts";
import { layoutMarkdown } from "../markdown/layout.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { fit, hang, pad, spread, wrapWords } from "../painted-text.ts";
import { showDuration, showTokens, showUsd } from "./format.ts";
import {
  isCut,
  type ItemLayout,
  outputLines,
  paintBadge,
  proseColumns,
  resultLines,
  startsBlock,
  toolLines,
} from "./tool-lines.ts";

export function layoutItem(item: Item, layout: ItemLayout): string[] {
  const { theme, width, follows } = layout;
  const { kind } = item;
  let lines = [...(startsBlock(kind, follows) ? [""] : []), ...body(item, layout)];
  if (isCut(layout) && kind !== "cut" && kind !== "turn") {
    lines = lines.map((line) => theme.paint("dim", line));
    // A call has its badge in its row.
    if (kind !== "tool" && !layout.isPart) lines = withBadge(lines, paintBadge(layout), width);
  }
  if (kind !== "user") return lines;
  return lines.map((line) => (line === "" ? "" : theme.paint("userMessage", pad(line, width))));
}

/** Puts the badge at the end of the first line with text, or on the line above it. */
function withBadge(lines: string[], text: string, width: number): string[] {
  const at = lines.findIndex((line) => Bun.stripANSI(line).trim() !== "");
  const line = lines[at];
  if (line === undefined) return lines;
  const isRoomy = Bun.stringWidth(line) + Bun.stringWidth(text) < width;
  if (isRoomy) return lines.with(at, spread(line, text, width));
  // The lines above it are empty.
  const above = Math.max(0, at - 1);
  return lines.toSpliced(above, at - above, spread("", text, width));
}

function body(item: Item, layout: ItemLayout): string[] {
  const { width, theme, open } = layout;
  switch (item.kind) {
    case "user": {
      const { content, typed } = item.entry;
      const images = content.filter(({ type }) => type === "image").length;
      const note = images > 0 ? `\n[${counted(images, "image")}]` : "";
      const whole = sanitize(blockText(content));
      const shown = open || typed === undefined ? whole : sanitize(typed);
      const made = shown === whole ? "" : `\n… ${counted(countLines(whole), "line")} sent`;
      const text = shown + made + note;
      const lines = hang("❯ ", text, Math.min(width, proseColumns + 2));
      return open ? lines : foldedMessage(lines);
    }
    case "text":
      return layoutMarkdown(item.text, Math.min(width, proseColumns), theme, layout.code);
    case "thinking":
      return folded(item.text, "thinking", layout);
    case "tool":
      return toolLines(item, layout);
    case "result":
      return resultLines(item.result, layout);
    case "context": {
      const { kind, content } = item.entry;
      const head = theme.paint(
        "dim",
        fit(`${open ? "▾" : "▸"} ${contextTitle(item.entry)}`, width),
      );
      return open || kind === "shell" ? [head, ...outputLines(blockText(content), layout)] : [head];
    }
    case "cut":
      return cutLines(item.entry, layout);
    case "restore": {
      const { redo, price } = item.entry;
      const what = redo ? "↻ Compaction redone" : "↺ Compaction undone";
      const tokens = showTokens(Math.abs(price.usedAfter - price.usedBefore));
      const moved = `${tokens} tokens ${redo ? "freed" : "restored"}`;
      return [theme.paint("boundary", fit(`${what}: ${moved}, ${showUsd(price.usd)}`, width))];
    }
    case "head":
      return [theme.paint("boundary", `↩ ${sanitizeLine(item.entry.why)}`)];
    case "model":
      return [theme.paint("dim", `the model is now ${sanitizeLine(item.entry.model)}`)];
    case "note": {
      const { kind, text } = item.entry;
      const role = kind === "error" ? "bad" : kind === "warning" ? "warning" : "dim";
      return hang("• ", sanitize(text), width).map((line) => theme.paint(role, line));
    }
    case "turn":
      return wrapWords(turnText(item, layout.prices, width), width).map((line) =>
        theme.paint("dim", line),
      );
    case "stop":
      return [theme.paint("warning", `(${stops[item.stop] ?? item.stop})`)];
    default:
      return item satisfies never;
  }
}

/** A longer message of the user, mostly a paste, is folded to its ends: the question may follow it. */
const folding = { from: 16, first: 5, last: 3 };

function foldedMessage(lines: string[]): string[] {
  if (lines.length <= folding.from) return lines;
  const { first, last } = folding;
  const rest = lines.length - first - last;
  return [...lines.slice(0, first), `  … ${counted(rest, "more line")}`, ...lines.slice(-last)];
}

const stops: Record<string, string> = {
  interrupted: "interrupted",
  failed: "interrupted; retried",
  max_tokens: "cut off at the output limit",
  refusal: "declined",
  model_context_window_exceeded: "the context window is full",
};

function folded(text: string, name: string, { width, theme, open }: ItemLayout): string[] {
  const clean = sanitize(text).trim();
  const [first] = clean.split("\n", 1);
  const lines = open
    ? [`▾ ${name}`, ...wrapWords(clean, width - 2).map((line) => `  ${line}`)]
    : [fit(`▸ ${name}: ${first}`, width)];
  return lines.map((line) => theme.paint("dim", line));
}

function contextTitle({ kind, title, subagent }: EntryOf<"context">): string {
  const words = sanitizeLine(title);
  if (kind === "environment") return "Sent to the model: environment";
  if (kind === "reminder") return words;
  if (kind === "mode") return `Permission mode: ${words}`;
  return kind === title ? kind : subagent ? words : `${kind}: ${words}`;
}

/** The totals of a turn: "14.2 s · 5 tool calls · 6.1k tokens read, 412 written · $0.0080". */
function turnText(
  { ms, toolCalls, usages, subagents, elsewhereUsd }: TurnTotals,
  prices: Prices,
  width: number,
): string {
  let [read, cached, written, usd] = [0, 0, 0, elsewhereUsd];
  for (const usage of usages) {
    read += sentBy(usage);
    cached += usage.cacheRead;
    written += usage.output;
    usd += callCost(usage, prices);
  }
  const fromCache = cached === 0 ? "" : ` (${showTokens(cached)} from cache)`;
  const calls = counted(toolCalls, "tool call");
  const line = (tokens: string): string =>
    [
      showDuration(ms) || (ms > 0 ? "under 1 s" : ""),
      toolCalls === 0 ? "" : calls,
      subagents === 0 ? "" : counted(subagents, "subagent"),
      // A server that counts nothing has nothing to show.
      read + written === 0 ? "" : tokens,
      usd === 0 ? "" : showUsd(usd, prices.areEstimates),
    ]
      .filter((part) => part !== "")
      .join(" · ");
  const forms = [
    `${showTokens(read)} tokens read${fromCache}, ${showTokens(written)} written`,
    `${showTokens(read)} tokens read, ${showTokens(written)} written`,
    `${showTokens(read + written)} tokens`,
  ].map(line);
  return forms.find((form) => form.length <= width) ?? forms.at(-1) ?? "";
}

const undoHint = " /undo-compact ──";

/** The longest form that leaves room for the command that undoes it, or else the longest that fits. */
function headline(forms: readonly string[], width: number): string {
  const roomBeside = (text: string): number => width - 4 - Bun.stringWidth(text);
  const roomy = forms.find((form) => roomBeside(form) >= undoHint.length + 2);
  const text = roomy ?? forms.find((form) => roomBeside(form) >= 2) ?? forms.at(-1) ?? "";
  const end = roomy === undefined ? "" : undoHint;
  return `── ${text} ${"─".repeat(Math.max(0, roomBeside(text) - end.length))}${end}`;
}

const redoHint = " · undone · /redo-compact";

function cutLines(cut: EntryOf<"cut">, { width, theme, open, isUndone }: ItemLayout): string[] {
  const { price, summary, reason } = cut;
  const freed = price.usedBefore - price.usedAfter;
  const what = describeCut(cut);
  // Estimated, as the meter marks it until the server has counted.
  const change = `${showTokens(price.usedBefore)} → ~${showTokens(price.usedAfter)}`;
  const asked = sanitizeLine(whyCut(cut));
  const usd = `, ${showUsd(price.usd, price.isEstimate)}`;
  const least = `−${showTokens(freed)}`;
  const forms = [`${change} tokens (${showTokens(freed)} freed)`, change, least].map(
    (tokens) => `${isUndone ? "" : open ? "▾ " : "▸ "}${what} · ${tokens}${usd} · ${asked}`,
  );
  if (isUndone) {
    const room = Math.max(0, width - redoHint.length);
    const text = forms.find((form) => Bun.stringWidth(form) <= room) ?? fit(what, room);
    return [theme.paint("strike", theme.paint("dim", text)) + theme.paint("boundary", redoHint)];
  }
  const head = theme.paint("boundary", fit(headline(forms, width), width));
  if (!open) return [head];
  const { losses = [], instructionsPutBack = [] } = summary ?? {};
  const lines = [sanitizeLine(reason), "", ...cut.changes.map(changeText)];
  if (losses.length > 0) {
    lines.push("", `No longer in view (${losses.length}):`);
    lines.push(...losses.map(({ kind, text }) => `  ${kind} ${sanitizeLine(text)}`));
  }
  if (instructionsPutBack.length > 0)
    lines.push(
      "",
      "Kept verbatim:",
      ...instructionsPutBack.map((text) => `  ${sanitizeLine(text)}`),
    );
  return [
    head,
    ...lines
      .flatMap((line) => wrapWords(line, width - 4))
      .map((line) => `  ${theme.paint("boundary", "┃")} ${line}`),
  ];
}

function changeText(change: Change): string {
  if (change.kind === "input") return "the long input of a call was trimmed";
  if (change.kind === "cover") return sanitize(`${change.text}\n${change.kept ?? ""}`).trimEnd();
  return sanitize(change.text).split("\n", 1).join();
}
