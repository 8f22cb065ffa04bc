/** The text that replaces something: what it was, how large, and how to get it back. */

import { takeEnd, takeStart } from "../base/clip.ts";
import { type ToolInput, textOf } from "../protocol/block.ts";
import type { Change, EntryOf } from "../protocol/entry.ts";
import { counted } from "../base/in-words.ts";
import { isAnswer } from "./view/blocks.ts";
import type { ResultRow } from "./protect.ts";
import type { Row, View } from "./types.ts";

/** A row whose content a cut may replace. */
export type TextRow = Row & { readonly entry: EntryOf<"result" | "user" | "context"> };

/**
 * In place of a whole result: the call before it says more of what it was. It never asks to repeat the
 * call, which may have changed something.
 */
export function placeholder({ entry }: ResultRow, why: "snipped" | "cleared"): string {
  const { id, tool, lines, bytes, file, isError } = entry;
  const size = `${counted(lines, "line")}, ${kilobytes(bytes)}`;
  // As Bash reports it.
  const [, code] = (isError && /^\[exit code (\d+)\]/m.exec(textOf(entry.content))) || [];
  const failed = isError ? `, failed${code === undefined ? "" : ` with exit code ${code}`}` : "";
  const source = file === undefined ? `Recall {"open": "#${id}"} shows it` : `it is in ${file}`;
  return `[Result ${why}: ${tool}, ${size}${failed}; ${source}]`;
}

type Replacement = Extract<Change, { kind: "replace" }>;

/** A placeholder in place of each result that is larger than its placeholder. */
export function replaceWhole(
  rows: readonly ResultRow[],
  why: "snipped" | "cleared",
): Replacement[] {
  return rows.flatMap((row): Replacement[] => {
    const text = placeholder(row, why);
    // Half as much again, so that a placeholder is never replaced by another one.
    return row.chars > text.length * 1.5 ? [{ kind: "replace", entry: row.entry.id, text }] : [];
  });
}

/** Head and tail of a long text, and where the rest is: no more than `maxChars`, if those hold the note. */
export function headAndTail({ entry }: TextRow, maxChars: number): string {
  const text = textOf(entry.content);
  const where = entry.type === "result" && entry.file ? entry.file : `recall #${entry.id}`;
  const note = (missing: number): string =>
    `\n[... ${missing} characters cut; full text: ${where} ...]\n`;
  const half = Math.max(0, Math.floor((maxChars - note(text.length).length) / 2));
  const head = atLineEnd(takeStart(text, half));
  const tail = atLineStart(takeEnd(text, half));
  return `${head}${note(text.length - head.length - tail.length)}${tail}`;
}

/** The call that a result answers. */
export function callOf(
  view: View,
  result: EntryOf<"result">,
): { name: string; input: ToolInput } | undefined {
  const at = view.indexOf(result.id) ?? 0;
  for (let index = at - 1; index >= 0; index--) {
    const entry = view.rows[index]?.entry;
    if (entry?.type !== "assistant") continue;
    for (const block of entry.content) {
      if (block.type === "tool_use" && block.id === result.toolUse) return block;
    }
    // A call is answered before the next answer.
    if (isAnswer(entry)) break;
  }
  return undefined;
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
