/** Lays out a tool call: a row with its outcome and, if open, the full input and output. */

import type { Row } from "../../context/types.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Prices } from "../../protocol/model.ts";
import type { ItemKind } from "../items.ts";
import type { Theme } from "../theme.ts";
import { badges, chooseBadge } from "../../context/describe-cut.ts";
import { callTitle, showBytes, showDuration, showTokens } from "./format.ts";
import {
  describeOutcome,
  errorLines,
  isInBackground,
  neighborsOutcome,
  neighborsTitle,
  readAnswers,
  readChange,
  showRunTime,
  type ToolItem,
} from "./outcome.ts";
import { type LaidOutCode, layoutMarkdown } from "../markdown/layout.ts";
import type { PagedText } from "../types.ts";
import { blockText, unreadableInputKey, type ToolInput } from "../../protocol/block.ts";
import { takeStart } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { highlight, makeHighlighter, readLanguage } from "../code/highlight.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { atMost, fit, rowColumns, spread, wrapAnywhere, wrapWords } from "../painted-text.ts";
import { type Canvas, diffLines, formatGutter, gutterColumns, isDiff } from "./diff-lines.ts";

/** Prose is at most this wide, for readability. */
export const proseColumns = 100;

/** A result that was saved to a file: its size, and its first lines. */
export type Original = Pick<PagedText, "bytes"> & { count: number; lines: readonly string[] };

export type ItemLayout = {
  width: number;
  theme: Theme;
  open: boolean;
  row: Row | undefined;
  /** The compaction that removed it. */
  cut: EntryOf<"cut"> | undefined;
  /** Tokens that a compaction or a preview saves. */
  freedTokens: number;
  /** undefined: the preview is shown. */
  original: Original | undefined;
  /** The key that opens the newest call; empty: none. */
  openKey: string;
  /** A further part of the answer above, which has the badge of both. */
  isPart: boolean;
  /** The item is a cut that was undone. */
  isUndone: boolean;
  /** A message whose words a summary keeps. */
  isKept: boolean;
  /** The calls that share its row; null: none. */
  neighbors: readonly ToolItem[] | null;
  /** The kind of the item above; null at the top. */
  follows: ItemKind | null;
  prices: Prices;
  /** The call waits for the user's approval. */
  isAsked: boolean;
  /** How long a running call has run; a wait for permission is not part of it. */
  runningMs: number | null;
  /** The code of the answer that was streamed last. */
  code?: LaidOutCode;
};

const blocks = new Set<ItemKind>(["user", "text", "cut", "turn", "stop"]);

/** Blocks are separated by an empty line; rows that follow each other are one block. */
export const startsBlock = (kind: ItemKind, follows: ItemKind | null): boolean =>
  kind !== "stop" &&
  !(kind === "cut" && follows === "cut") &&
  (blocks.has(kind) || (follows !== null && blocks.has(follows)));

export const isCut = ({ row, cut, isKept }: ItemLayout): boolean =>
  !isKept &&
  row !== undefined &&
  cut !== undefined &&
  row.shown !== "whole" &&
  row.shown !== "unsent";

export function paintBadge({ cut, row, theme, freedTokens }: ItemLayout): string {
  const freed = freedTokens > 0 ? `, ${showTokens(freedTokens)} freed` : "";
  return theme.paint(
    "badge",
    `[${cut && row ? chooseBadge(cut, row.entry.id) : badges.persist}${freed}]`,
  );
}

const foldedDiffLines = 14;

const shownLines = 400;

const maxInputLines = 60;

export function toolLines(item: ToolItem, layout: ItemLayout): string[] {
  const { theme, open, neighbors } = layout;
  const row = Math.min(layout.width, rowColumns);
  const { call, result } = item;
  const [title, end] = neighbors
    ? [neighborsTitle(neighbors), neighborsOutcome(neighbors)]
    : [callTitle(call.name, call.input), layoutEnd(item, layout)];
  const start = `${paintSign(result, layout)} ${strongName(title, theme)}`;
  const head = spread(start, theme.paint("dim", ` ${end}`), row);
  if (neighbors) return [head];
  if (!open) return [head, ...foldedSteps(item, layout), ...foldedLines(item, layout)];
  return [
    head,
    ...item.steps.map((step) => stepLine(step, layout)),
    ...inputLines(call.input, result !== null && isDiff(readChange(result)), layout),
    ...(result ? resultLines(result, layout, call.input) : []),
  ];
}

/** Inner calls that are shown while they run. */
const newestSteps = 3;

/** The newest inner calls of a running call, or the newest failed ones of an ended call. */
function foldedSteps({ steps, result }: ToolItem, layout: ItemLayout): string[] {
  const shown = result === null ? steps : steps.filter(({ isError }) => isError);
  return shown.slice(-newestSteps).map((step) => stepLine(step, layout));
}

/** An inner call in a row: its title, its outcome and how long it took. */
function stepLine(step: EntryOf<"step">, layout: ItemLayout): string {
  const { theme, width } = layout;
  const call = { name: step.tool, input: step.input };
  const start = `  ${paintSign(step, layout)} ${sanitizeLine(callTitle(call.name, call.input))}`;
  const end = [describeOutcome(call, step), showDuration(step.ms)].filter(Boolean).join(" · ");
  return spread(start, theme.paint("dim", ` ${end}`), Math.min(width, rowColumns));
}

const strongName = (title: string, theme: Theme): string =>
  title.replace(/^\S+/, (name) => theme.paint("strong", name));

function paintSign(result: EntryOf<"result" | "step"> | null, { theme }: ItemLayout): string {
  if (result === null) return theme.paint("accent", "○");
  return result.isError ? theme.paint("bad", "✗") : theme.paint("good", "●");
}

/** Badge, outcome and duration; only the badge where the row is short. */
function layoutEnd(item: ToolItem, layout: ItemLayout): string {
  const { width, runningMs, isAsked } = layout;
  const { result } = item;
  if (result === null && isAsked) return "waiting for you";
  if (result === null)
    return runningMs === null ? "interrupted" : `${Math.floor(runningMs / 1_000)} s`;
  const badge = isCut(layout) || isPreview(result) ? paintBadge(layout) : "";
  const inner = item.steps.length === 0 ? "" : counted(item.steps.length, "call");
  const outcome = [inner, describeOutcome(item.call, result), showRunTime(item)]
    .filter(Boolean)
    .join(" · ");
  const both = [badge, outcome].filter(Boolean).join(" ");
  return badge !== "" && Bun.stringWidth(both) > width * 0.6 ? badge : both;
}

/** Lines of a command's output that a folded row shows: from its start, and from its end, where sums are. */
const folding = { first: 1, last: 3 };

function foldedLines({ call, result }: ToolItem, layout: ItemLayout): string[] {
  if (result === null || isCut(layout)) return [];
  const { width, theme } = layout;
  if (result.isError)
    return errorRows(result, width).map((line) => theme.paint("dim", fit(`  │ ${line}`, width)));
  const plan = call.name === "ExitPlanMode" ? call.input["plan"] : null;
  if (typeof plan === "string") return besideBar(layoutMarkdown(plan, width - 4, theme), layout);
  const text = readChange(result);
  // The row already says what comes before the diff.
  if (isDiff(text))
    return outputLines(text.slice(text.search(/^(?:--- |@@ -)/m)), layout, foldedDiffLines);
  const answers = readAnswers(result);
  if (answers !== null) return commandLines(answers, result, layout);
  return typeof call.input["command"] === "string" ? commandLines(text, result, layout) : [];
}

/** The first and the last lines that a command printed, and how many there are between them. */
function commandLines(
  text: string,
  result: EntryOf<"result">,
  { width, theme, openKey }: ItemLayout,
): string[] {
  if (isInBackground(text) || text === "(no output)") return [];
  const whole = sanitize(text.trimEnd())
    .split("\n")
    .filter((line) => !aboutOutput.test(line));
  const lines = whole.filter((line) => line.trim() !== "");
  const total = Math.max(whole.length, result.file === undefined ? 0 : result.lines);
  const fits = lines.length <= folding.first + folding.last + 1;
  if (fits && total <= whole.length)
    return lines.map((line) => theme.paint("dim", fit(`  │ ${line}`, width)));
  const first = lines.slice(0, folding.first);
  const last = lines.slice(folding.first).slice(-folding.last);
  const rest = Math.max(1, total - first.length - last.length);
  const more = `+${counted(rest, "line")}${openKey === "" ? "" : ` (${openKey})`}`;
  return [...first, more, ...last].map((line) => theme.paint("dim", fit(`  │ ${line}`, width)));
}

/** Notes for the model on the output, which the row says in its own words. */
const aboutOutput = /^(?:\[.*\]|Lines \d+ to \d+:)$/;

const sentenceRows = 3;

/** A sentence is wrapped, because its end says what to do; output is not. */
function errorRows(result: EntryOf<"result">, width: number): string[] {
  const lines = errorLines(result);
  const [only = ""] = lines;
  if (lines.length !== 1) return lines;
  const room = Math.max(1, width - 4);
  return wrapWords(takeStart(only, room * sentenceRows), room).slice(0, sentenceRows);
}

/** The log holds only a preview; the full result is in a file. */
const isPreview = (result: EntryOf<"result">): boolean =>
  result.file !== undefined && result.bytes > Buffer.byteLength(blockText(result.content)) * 1.2;

/** Languages of inputs; others have that of the file. */
const inputLanguages = new Map([
  ["command", "bash"],
  ["file_path", ""],
]);

/** Inputs that the diff of a change shows, too. */
const inDiff: ReadonlySet<string> = new Set(["old_string", "new_string", "edits", "content"]);

function inputLines(input: ToolInput, hasDiff: boolean, layout: Canvas): string[] {
  const { theme } = layout;
  const path = input["file_path"];
  const language = typeof path === "string" ? readLanguage(path) : "";
  const lines = Object.entries(input)
    .filter(([name]) => !hasDiff || !inDiff.has(name))
    .flatMap(([name, value]) => {
      const text = sanitize(typeof value === "string" ? value : JSON.stringify(value));
      const code = highlight(text, inputLanguages.get(name) ?? language, theme);
      const shown = name === unreadableInputKey ? "not valid JSON" : sanitizeLine(name);
      const label = theme.paint("dim", `${shown}: `);
      return code.length > 1 ? [label, ...code] : code.map((line) => label + line);
    })
    .slice(0, maxInputLines);
  return besideBar(lines, layout);
}

export function resultLines(
  result: EntryOf<"result">,
  layout: ItemLayout,
  input: ToolInput = {},
): string[] {
  const { width, theme, original } = layout;
  const path = input["file_path"];
  const output = (text: string): string[] =>
    typeof path === "string" && isNumbered(text)
      ? fileLines(atMost(text.split("\n"), shownLines, moreLines), path, layout)
      : outputLines(text, layout);
  if (result.file === undefined) return output(readChange(result));
  const full = theme.paint("dim", fit(`  full output: ${sanitizeLine(result.file)}`, width));
  if (!original) return [full, ...output(blockText(result.content))];
  const { lines, bytes, count } = original;
  const size = `  lines 1-${lines.length} of ${count.toLocaleString("en")}, ${showBytes(bytes)}`;
  return [full, theme.paint("badge", fit(size, width)), ...output(lines.join("\n"))];
}

const numbered = /^ *(\d+)\t(.*)$/;

export const isNumbered = (text: string): boolean => numbered.test(text.split("\n", 1)[0] ?? "");

/** Lines of a file, in the colors of its language. `lines`: numbered, but for notes on the file. */
function fileLines(lines: readonly string[], path: string, { width, theme }: Canvas): string[] {
  const highlighter = makeHighlighter(readLanguage(path), theme);
  const room = Math.max(1, width - gutterColumns);
  return lines.flatMap((line) => {
    const [, number = "", code] = numbered.exec(line) ?? [];
    const painted =
      code === undefined ? theme.paint("dim", sanitize(line)) : highlighter.line(sanitize(code));
    return wrapAnywhere(painted, room).map(
      (piece, index) => `${theme.paint("dim", formatGutter(index === 0 ? number : ""))} ${piece}`,
    );
  });
}

/** At most `most` lines of a text, beside the bar that marks output. */
export function outputLines(text: string, layout: ItemLayout, most = shownLines): string[] {
  const { theme } = layout;
  if (isInBackground(text)) return [theme.paint("dim", "  │ In the background. /tasks shows it.")];
  const clean = sanitize(text);
  if (isDiff(clean)) return diffLines(clean, layout, most);
  const more = (rest: number): string => theme.paint("dim", moreLines(rest));
  return besideBar(atMost(clean.split("\n"), most, more), layout);
}

const moreLines = (rest: number): string => counted(rest, "more line");

const besideBar = (lines: readonly string[], { width, theme }: Canvas): string[] =>
  lines
    .flatMap((line) => wrapAnywhere(line, width - 4))
    .map((line) => `  ${theme.paint("dim", "│")} ${line}`);
