/** Shorter texts and inputs: what was there, how large it was, and how to get it back. */

import { takeEnd, takeStart } from "../../base/clip.ts";
import { counted } from "../../base/in-words.ts";
import { type ToolInput, blockText } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import type { Row, View } from "../types.ts";
import { canRecall, type ResultRow } from "../view/rows.ts";

/** A row whose content a cut may replace. */
export type TextRow = Row & { readonly entry: EntryOf<"result" | "user" | "context"> };

/**
 * In place of a whole result: the call before it says more of what it was. It never asks to repeat the
 * call, which may have changed something.
 */
export function placeholder(view: View, { entry }: ResultRow, why: "snipped" | "cleared"): string {
  const { id, tool, lines, bytes, file, isError } = entry;
  const size = `${counted(lines, "line")}, ${kilobytes(bytes)}`;
  // As Bash reports it.
  const [, code] = (isError && /^\[exit code (\d+)\]/m.exec(blockText(entry.content))) || [];
  const failed = isError ? `, failed${code === undefined ? "" : ` with exit code ${code}`}` : "";
  const recall = canRecall(view) ? `; Recall {"open": "#${id}"} shows it` : "";
  const source = file === undefined ? recall : `; it is in ${file}`;
  return `[Result ${why}: ${tool}, ${size}${failed}${source}]`;
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
    return row.chars > text.length * 1.5 ? [{ kind: "replace", entry: row.entry.id, text }] : [];
  });
}

/** Head and tail of a long text, and where the rest is: no more than `maxChars`, if those hold the note. */
export function headAndTail(view: View, { entry }: TextRow, maxChars: number): string {
  const text = blockText(entry.content);
  const recall = canRecall(view) ? `; full text: recall #${entry.id}` : "";
  return cutMiddle(
    text,
    maxChars,
    entry.type === "result" && entry.file ? `; full text: ${entry.file}` : recall,
  );
}

/** Head and tail of a text. `where`: what the note between them says of the rest. */
export function cutMiddle(text: string, maxChars: number, where: string): string {
  const note = (missing: number): string => `\n[... ${missing} characters cut${where} ...]\n`;
  const half = Math.max(0, Math.floor((maxChars - note(text.length).length) / 2));
  const head = atLineEnd(takeStart(text, half));
  const tail = atLineStart(takeEnd(text, half));
  return `${head}${note(text.length - head.length - tail.length)}${tail}`;
}

const kilobytes = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KB`;

function atLineEnd(text: string): string {
  const end = text.lastIndexOf("\n");
  return end > text.length / 2 ? text.slice(0, end) : text;
}

function atLineStart(text: string): string {
  const start = text.indexOf("\n");
  return start !== -1 && start < text.length / 2 ? text.slice(start + 1) : text;
}

/** Longer texts are cut to their first `headChars` characters. */
const longChars = 150;
const headChars = 60;
/** A cut must free this many characters. */
const minFreed = 40;

/** The role of a text in an input: replaced by the call, written by it, or anything else. */
type TextRole = "replaced" | "written" | "other";

/**
 * The input without its long texts, but with those that it writes if `keepsWritten`; null if that
 * frees too little. A replaced text exists nowhere any more. `entry`: what is cut can be recalled by
 * it; null: the run has no tool for that.
 */
export function shortened(
  input: ToolInput,
  keepsWritten: boolean,
  entry: EntryId | null,
): ToolInput | null {
  const next = withTexts(input, (text, key) => {
    const role = classifyKey(key);
    if (keepsWritten && role === "written") return text;
    return clipped(text, role === "replaced" ? 0 : headChars, entry);
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

/** Whether a call replaces texts in a file, by its parameter names. */
export const replacesText = (input: ToolInput): boolean =>
  Object.entries(input).some(
    ([key, value]) => classifyKey(key) === "replaced" || isListOfEdits(value),
  );

/** The texts that a call wrote into a file. */
export function listWritten(value: unknown, key = ""): string[] {
  if (typeof value === "string") return classifyKey(key) === "written" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((element) => listWritten(element, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, property]) => listWritten(property, name));
}

function classifyKey(key: string): TextRole {
  if (/^old/i.test(key)) return "replaced";
  return /^new|^content$/i.test(key) ? "written" : "other";
}

const isListOfEdits = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.some(
    (edit) =>
      typeof edit === "object" &&
      edit !== null &&
      Object.keys(edit).some((key) => classifyKey(key) === "replaced"),
  );

function clipped(text: string, head: number, entry: EntryId | null): string {
  if (head > 0 && text.length < longChars) return text;
  const recall = entry === null ? "" : `; recall #${entry}`;
  const cut = `[... ${text.length - head} characters cut${recall}]`;
  const shown = `${takeStart(text, head)}${cut}`;
  return shown.length + minFreed <= text.length ? shown : text;
}
