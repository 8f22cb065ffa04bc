/** An item as the lines of a given width. Pure: same item, same width, same lines. */

import type { Row } from "../../context/types.ts";
import { textOf } from "../../protocol/block.ts";
import type { Change, EntryOf, Trigger } from "../../protocol/entry.ts";
import type { Item } from "../items.ts";
import { layoutMarkdown } from "../markdown/layout.ts";
import { highlight } from "../markdown/highlight.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import { fit, spread, wrapAnywhere, wrapWords } from "../wrap.ts";
import type { Page } from "./originals.ts";
import { badges, callTitle, showBytes, showTokens, showUsd } from "./format.ts";

export type Layout = {
  width: number;
  theme: Theme;
  open: boolean;
  /** The entry's row in the view; undefined: it has none. */
  row: Row | undefined;
  /** The cut that hides it. */
  cut: EntryOf<"cut"> | undefined;
  /** Tokens that its cut or its preview keeps out of the request. */
  freedTokens: number;
  /** The page of the full result that is shown; undefined: its preview is. */
  page: Page | undefined;
};

/** Lines of a result that an open item shows. */
const shownLines = 400;

export function layoutItem(item: Item, layout: Layout): string[] {
  const lines = body(item, layout);
  if (item.kind === "cut" || !isCut(layout)) return lines;
  const dimmed = lines.map((line) => layout.theme.paint("dim", line));
  // A call has its badge in its own line.
  return item.kind === "tool" ? dimmed : withBadge(dimmed, badge(layout), layout.width);
}

/** No longer sent in full. */
const isCut = ({ row, cut }: Layout): boolean =>
  row !== undefined && cut !== undefined && row.shown !== "whole" && row.shown !== "unsent";

/** The badge at the end of the first line with text, or in the line above it. */
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

function body(item: Item, layout: Layout): string[] {
  const { width, theme, open } = layout;
  switch (item.kind) {
    case "user": {
      const text = item.entry.type === "user" ? textOf(item.entry.content) : "";
      const images =
        item.entry.type === "user"
          ? item.entry.content.filter(({ type }) => type === "image").length
          : 0;
      const shown =
        sanitise(text) + (images > 0 ? `\n[${images} image${images > 1 ? "s" : ""}]` : "");
      const lines = shown.split("\n").flatMap((line) => wrapWords(line, width - 2));
      return [
        "",
        ...lines.map((line, index) => theme.paint("user", `${index === 0 ? "❯ " : "  "}${line}`)),
      ];
    }
    case "text":
      return ["", ...layoutMarkdown(item.text, width, theme)];
    case "thinking":
      return folded(item.text, "thinking", layout);
    case "tool":
      return toolLines(item, layout);
    case "result":
      return resultLines(item.result, layout);
    case "context": {
      if (item.entry.type !== "context") return [];
      const { kind, title, content } = item.entry;
      const head = theme.paint(
        "dim",
        fit(`${open ? "▾" : "▸"} ${kind}: ${sanitiseLine(title)}`, width),
      );
      return open || kind === "shell" ? [head, ...output(textOf(content), layout)] : [head];
    }
    case "cut":
      return item.entry.type === "cut" ? cutLines(item.entry, layout) : [];
    case "restore":
      return item.entry.type === "restore" ? [theme.paint("boundary", "↺ Compaction undone")] : [];
    case "head":
      return item.entry.type === "head"
        ? [theme.paint("boundary", `↩ ${sanitiseLine(item.entry.why)}`)]
        : [];
    case "model":
      return item.entry.type === "model"
        ? [theme.paint("dim", `the model is now ${sanitiseLine(item.entry.model)}`)]
        : [];
    case "note": {
      if (item.entry.type !== "note") return [];
      const role =
        item.entry.kind === "error" ? "bad" : item.entry.kind === "warning" ? "warning" : "dim";
      return sanitise(item.entry.text)
        .split("\n")
        .flatMap((line) => wrapWords(line, width - 2))
        .map((line, index) => theme.paint(role, `${index === 0 ? "• " : "  "}${line}`));
    }
    case "stop":
      return [theme.paint("warning", `(${stops[item.stop] ?? item.stop})`)];
    default:
      return item satisfies never;
  }
}

const stops: Record<string, string> = {
  interrupted: "interrupted",
  failed: "interrupted; retried",
  max_tokens: "cut off at the output limit",
  refusal: "declined",
  model_context_window_exceeded: "the context window is full",
};

function folded(text: string, name: string, { width, theme, open }: Layout): string[] {
  const lines = sanitise(text).trim().split("\n");
  const head = `${open ? "▾" : "▸"} ${name}`;
  if (!open) return [theme.paint("dim", fit(`${head}: ${lines[0] ?? ""}`, width))];
  return [
    theme.paint("dim", head),
    ...lines
      .flatMap((line) => wrapWords(line, width - 2))
      .map((line) => theme.paint("dim", `  ${line}`)),
  ];
}

function toolLines(item: Extract<Item, { kind: "tool" }>, layout: Layout): string[] {
  const { width, theme, open } = layout;
  const { call, result } = item;
  const sign =
    result === null
      ? theme.paint("accent", "○")
      : result.isError
        ? theme.paint("bad", "✗")
        : theme.paint("good", "●");
  const mark = result === null ? "running" : resultBadge(layout, result);
  const size = result && `${took(item)}${result.lines} lines, ${showBytes(result.bytes)}`;
  const both = [mark, size].filter(Boolean).join(" ");
  // In a short line the size is left out first.
  const right = Bun.stringWidth(both) > width * 0.6 && mark !== "" ? mark : both;
  const head = spread(
    `${sign} ${callTitle(call.name, call.input)}`,
    theme.paint("dim", ` ${right}`),
    width,
  );
  if (!open)
    return result && call.name === "Edit" && !result.isError
      ? [head, ...output(textOf(result.content), layout, 14)]
      : [head];
  const input = Object.entries(call.input).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${sanitiseLine(name)}: ${sanitise(text)}`
      .split("\n")
      .flatMap((line) => wrapAnywhere(line, width - 4));
  });
  return [
    head,
    ...input.slice(0, 60).map((line) => theme.paint("dim", `  │ ${line}`)),
    ...(result ? resultLines(result, layout) : []),
  ];
}

/** How long a call took, if it was long. */
function took({ entry, result }: Extract<Item, { kind: "tool" }>): string {
  const ms = Date.parse(result?.at ?? "") - Date.parse(entry.at);
  if (!(ms >= 1_000)) return "";
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s, ` : `${Math.round(ms / 60_000)} min, `;
}

/** The tier that removed it, and what that freed. */
function badge({ cut, theme, freedTokens }: Layout): string {
  const freed = freedTokens > 0 ? `, ${showTokens(freedTokens)} freed` : "";
  return theme.paint("badge", `[${badges[cut?.tier ?? "persist"]}${freed}]`);
}

function resultBadge(layout: Layout, result: EntryOf<"result">): string {
  return isCut(layout) || isPreview(result) ? badge(layout) : "";
}

/** The full result is in a file, and only a preview in the log. */
export const isPreview = (result: EntryOf<"result">): boolean =>
  result.file !== undefined && result.bytes > Buffer.byteLength(textOf(result.content)) * 1.2;

function resultLines(result: EntryOf<"result">, layout: Layout): string[] {
  const { width, theme, page } = layout;
  if (result.file === undefined) return output(textOf(result.content), layout);
  const full = theme.paint("dim", fit(`  full output: ${sanitiseLine(result.file)}`, width));
  if (!page) return [full, ...output(textOf(result.content), layout)];
  const { text, from, lines } = page;
  const where = `lines ${count(from + 1)}-${count(from + lines.length)} of ${count(text.lines)}`;
  const note = theme.paint(
    "badge",
    fit(`  ${where}, ${showBytes(text.bytes)} · [ ] { } page`, width),
  );
  return [full, note, ...output(lines.join("\n"), layout), note];
}

const count = (lines: number): string => lines.toLocaleString("en");

function output(text: string, { width, theme }: Layout, most = shownLines): string[] {
  const all = sanitise(text).split("\n");
  const isDiff = all.some((line) => line.startsWith("@@ "));
  const shown = all.slice(0, most);
  const painted = isDiff ? highlight(shown.join("\n"), "diff", theme) : shown;
  const lines = painted
    .flatMap((line) => wrapAnywhere(line, width - 4))
    .map((line) => `  ${theme.paint("dim", "│")} ${line}`);
  if (all.length > most) lines.push(theme.paint("dim", `  │ ${all.length - most} more lines`));
  return lines;
}

/** Why a cut was made. */
const triggers: Record<Trigger, string> = {
  auto: "automatic",
  idle: "cache expired",
  key: "you",
  command: "/compact",
  model: "the model",
  "too-long": "prompt too long",
  inspector: "inspector",
};

function whatWasCut(changes: readonly Change[]): string {
  const inputs = changes.filter(({ kind }) => kind === "input").length;
  const results = changes.length - inputs;
  const parts = [
    results > 0 ? `${results} ${results === 1 ? "result" : "results"}` : "",
    inputs > 0 ? `long inputs of ${inputs} ${inputs === 1 ? "call" : "calls"}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function cutLines(cut: EntryOf<"cut">, { width, theme, open }: Layout): string[] {
  const { price, tier, trigger, summary, reason } = cut;
  const freed = price.usedBefore - price.usedAfter;
  const what = summary
    ? `${summary.messages} messages summarised`
    : `${badges[tier]}: ${whatWasCut(cut.changes)}`;
  const change = `${showTokens(price.usedBefore)} → ${showTokens(price.usedAfter)}`;
  const tokens = width < 72 ? change : `${change} tokens (${showTokens(freed)} freed)`;
  const numbers = `${tokens}, ${showUsd(price.usd)}`;
  const asked = triggers[trigger];
  const head = theme.paint(
    "boundary",
    fit(`── ${open ? "▾" : "▸"} ${what} · ${numbers} · ${asked} `.padEnd(width, "─"), width),
  );
  if (!open) return [head];
  const lines = [sanitiseLine(reason), ""];
  for (const change of cut.changes) {
    if (change.kind === "cover")
      lines.push(
        ...sanitise(`${change.text}\n${change.kept ?? ""}`)
          .trimEnd()
          .split("\n"),
      );
    else if (change.kind === "replace")
      lines.push(`#${change.entry}: ${sanitise(change.text).split("\n")[0] ?? ""}`);
    else lines.push(`#${change.entry}: input of a call shortened`);
  }
  if (summary && summary.losses.length > 0) {
    lines.push("", `No longer in view (${summary.losses.length}):`);
    for (const { kind, text, entry } of summary.losses)
      lines.push(`  ${kind} ${sanitiseLine(text)}  #${entry}`);
  }
  if (summary && summary.instructionsPutBack.length > 0) {
    lines.push(
      "",
      "Kept verbatim:",
      ...summary.instructionsPutBack.map((text) => `  ${sanitiseLine(text)}`),
    );
  }
  return [
    head,
    ...lines
      .flatMap((line) => wrapWords(line, width - 4))
      .map((line) => `  ${theme.paint("boundary", "┃")} ${line}`),
  ];
}
