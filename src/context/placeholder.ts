/** The words that stand where something was: what it was, how big, and how to get it back. */

import type { ToolInput } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { textOf } from "../protocol/block.ts";
import type { ResultRow } from "./protect.ts";
import type { View } from "./types.ts";

/** In place of a whole result. */
export function placeholder(view: View, { entry }: ResultRow, why: "snipped" | "cleared"): string {
  const argument = argumentOf(callOf(view, entry)?.input ?? {});
  const what = argument === "" ? entry.tool : `${entry.tool} ${argument}`;
  const size = `${entry.lines} lines, ${kilobytes(entry.bytes)}`;
  const back = entry.file
    ? `re-read if needed: ${entry.file}`
    : `re-read if needed: run it again, or recall #${entry.id}`;
  return `[Result ${why}: ${what} (${size}); ${back}]`;
}

/** The same in few words, where the call itself, which says the rest, stands right before it. */
export function shortPlaceholder({ entry }: ResultRow): string {
  const back = entry.file ?? `recall #${entry.id}`;
  return `[Result cleared: ${entry.lines} lines, ${kilobytes(entry.bytes)}; ${back}]`;
}

/** Head and tail of a long result, and what is missing between them. */
export function headAndTail({ entry }: ResultRow, budgetChars: number): string {
  const text = textOf(entry.content);
  const half = Math.floor(budgetChars / 2);
  const head = atLineEnd(text.slice(0, half));
  const tail = atLineStart(text.slice(text.length - half));
  const missing = text.length - head.length - tail.length;
  const where = entry.file ? `the whole is in ${entry.file}` : `full text: recall #${entry.id}`;
  return `${head}\n[... ${missing} characters cut; ${where}, re-read if needed ...]\n${tail}`;
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
  }
  return undefined;
}

/** The one argument that tells most, short enough for a line. */
function argumentOf(input: ToolInput): string {
  for (const name of ["path", "file_path", "pattern", "query", "command", "id"]) {
    const value = input[name];
    if (typeof value === "string") return clip(value.replace(/\s+/g, " "), 80);
  }
  return "";
}

const clip = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

const kilobytes = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KB`;

function atLineEnd(text: string): string {
  const end = text.lastIndexOf("\n");
  return end > text.length / 2 ? text.slice(0, end) : whole(text);
}

function atLineStart(text: string): string {
  const start = text.indexOf("\n");
  return start !== -1 && start < text.length / 2 ? text.slice(start + 1) : whole(text);
}

/** No half of a surrogate pair at either end. */
const whole = (text: string): string => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
