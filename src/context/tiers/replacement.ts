/** Placeholders and shortened inputs: they name the removed content, its size, and how to recall it. */

import { cutMiddle, takeStart } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { type ToolInput, blockText } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import type { Row, View } from "../types.ts";
import { resultFrame } from "../view/char-count.ts";
import { canRecall, type ResultRow } from "../view/rows.ts";

/** A row whose content a cut may replace. */
export type TextRow = Row & { readonly entry: EntryOf<"result" | "user" | "context"> };

/**
 * Replaces a whole result; the call before it stays and identifies the content. Never suggests repeating the
 * call, which may have changed something.
 */
export function placeholder(view: View, { entry }: ResultRow, why: "snipped" | "cleared"): string {
  const { id, lines, bytes, file, isError } = entry;
  const size = `${counted(lines, "line")}, ${kilobytes(bytes)}`;
  // As Bash reports it.
  const [, code] = (isError && /^\[exit code (\d+)\]/m.exec(blockText(entry.content))) || [];
  const failed = isError ? `, failed${code === undefined ? "" : ` with exit code ${code}`}` : "";
  const recall = canRecall(view) ? `; recall #${id}` : "";
  const source = file === undefined ? recall : `; it is in ${file}`;
  return `[${why}: ${size}${failed}${source}]`;
}

type Replacement = Extract<Change, { kind: "replace" }>;

/** A placeholder in place of each result that is larger than its placeholder. */
export function replaceWhole(
  view: View,
  rows: readonly ResultRow[],
  why: "snipped" | "cleared",
): Replacement[] {
  return rows.flatMap((row): Replacement[] => {
    const text = placeholder(view, row, why);
    // Half as much again, so that a placeholder is never replaced by another one.
    return row.chars - resultFrame > text.length * 1.5
      ? [{ kind: "replace", entry: row.entry.id, text }]
      : [];
  });
}

/** Head and tail of a long text, and where the rest is: no more than `maxChars`, if those hold the note. */
export function headAndTail(
  view: View,
  { entry }: Pick<TextRow, "entry">,
  maxChars: number,
): string {
  const text = blockText(entry.content);
  const recall = canRecall(view) ? `; full text: recall #${entry.id}` : "";
  return cutMiddle(
    text,
    maxChars,
    entry.type === "result" && entry.file ? `; full text: ${entry.file}` : recall,
  );
}

const kilobytes = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KB`;

/** Texts that a call replaces in a file, and those that it writes there, are known by their names. */
const replacedKey = /^old/i;
const writtenKey = /^new|^content$/i;

/** Longer texts are cut to their first `headChars` characters. */
const longChars = 150;
const headChars = 60;
/** A cut must free this many characters. */
const minFreed = 40;

/**
 * The input without the long texts that it replaces, and, if `written`, without those that it writes; null if
 * that frees too little. A replaced text exists nowhere any more. `entry`: what is cut can be recalled by
 * it; null: the run has no tool for that.
 */
export function shortened(
  input: ToolInput,
  written: boolean,
  entry: EntryId | null,
): ToolInput | null {
  const next = withTexts(input, (text, key) => {
    if (replacedKey.test(key)) return clipped(text, 0, entry);
    return written && writtenKey.test(key) ? clipped(text, headChars, entry) : text;
  });
  return measureInput(next) + minFreed <= measureInput(input) ? next : null;
}

/** The input with every text clipped to its first `maxChars` characters. */
export const clippedInput = (
  input: ToolInput,
  maxChars: number,
  entry: EntryId | null,
): ToolInput =>
  withTexts(input, (text) => (text.length > maxChars ? clipped(text, maxChars, entry) : text));

type ChangeText = (text: string, key: string) => string;

/** The input with every text changed; `key`: of the property that holds it. */
const withTexts = (input: object, change: ChangeText): ToolInput =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, changed(value, name, change)]),
  );

function changed(value: unknown, key: string, change: ChangeText): unknown {
  if (typeof value === "string") return change(value, key);
  if (Array.isArray(value)) return value.map((element) => changed(element, key, change));
  return typeof value === "object" && value !== null ? withTexts(value, change) : value;
}

/** Length of an input as JSON, in characters. */
export const measureInput = (input: ToolInput): number => JSON.stringify(input).length;

function clipped(text: string, head: number, entry: EntryId | null): string {
  if (head > 0 && text.length < longChars) return text;
  const recall = entry === null ? "" : `; recall #${entry}`;
  const cut = `[... ${text.length - head} characters cut${recall}]`;
  const shown = `${takeStart(text, head)}${cut}`;
  return shown.length + minFreed <= text.length ? shown : text;
}
