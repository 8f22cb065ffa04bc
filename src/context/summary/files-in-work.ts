/** The session's work in progress: files, calls, the todo list, the mode. */

import { blockText, type ToolUseBlock } from "../../protocol/block.ts";
import type { EntryOf, Span } from "../../protocol/entry.ts";
import { lastTodos, type Todo } from "../../protocol/todo.ts";
import { isAnswer } from "../view/blocks.ts";
import type { View } from "../types.ts";
import { newestFirst, spanRange, wholeRange, type RowRange } from "../view/rows.ts";

/** The newest todo list in these rows. */
export function findTodo(range: RowRange): readonly Todo[] {
  for (const { entry } of newestFirst(range)) {
    const todos = entry.type === "assistant" && entry.stop !== "failed" ? lastTodos(entry) : null;
    if (todos) return todos;
  }
  return [];
}

export type FileTouched = { path: string; written: boolean };

/** Files that were read or written in these rows, the most recent first. */
export function filesTouched(range: RowRange): FileTouched[] {
  const files = new Map<string, boolean>();
  for (const { entry } of newestFirst(range)) {
    if (entry.type !== "result") continue;
    for (const { path, does } of entry.stamps?.toReversed() ?? [])
      files.set(path, files.get(path) === true || does === "write");
  }
  return [...files].map(([path, written]) => ({ path, written }));
}

/**
 * The files that were touched last, newest first, at most `most`. Leaves out a file that is still in
 * view after the span, whole and unchanged.
 */
export function filesInWork(view: View, span: Span, most: number): FileTouched[] {
  const { to } = spanRange(view, span);
  const inView = new Map<string, boolean>();
  for (const { entry, shown } of view.rows.slice(to + 1)) {
    if (entry.type !== "result") continue;
    for (const { path, does, lines } of entry.stamps ?? [])
      inView.set(path, does === "read" && lines === undefined && shown === "whole");
  }
  return filesTouched(wholeRange(view))
    .filter(({ path }) => inView.get(path) !== true)
    .slice(0, most);
}

type Called = { call: ToolUseBlock; result: EntryOf<"result"> | undefined };

/** Every call of a shell command, with its result if it has one, the newest first. */
export function* listCommands(range: RowRange): Generator<Called> {
  const { view, from, to } = range;
  for (let row = to; row >= from; row--) {
    const entry = view.rows[row]?.entry;
    if (entry?.type !== "assistant" || entry.stop === "failed") continue;
    if (!entry.content.some(isCommand)) continue;
    const results = resultsAfter(row, range);
    for (const block of entry.content.toReversed())
      if (block.type === "tool_use" && isCommand(block))
        yield { call: block, result: results.get(block.id) };
  }
}

/** Whether a call runs a shell command, under any tool name. */
const isCommand = (block: EntryOf<"assistant">["content"][number]): boolean =>
  block.type === "tool_use" && typeof block.input["command"] === "string";

/** The results between an answer and the next one, by call. */
function resultsAfter(row: number, { view, to }: RowRange): Map<string, EntryOf<"result">> {
  const results = new Map<string, EntryOf<"result">>();
  for (let index = row + 1; index <= to; index++) {
    const entry = view.rows[index]?.entry;
    if (isAnswer(entry)) break;
    if (entry?.type === "result") results.set(entry.toolUse, entry);
  }
  return results;
}

/** The model's last text in these rows. */
export function lastWords(range: RowRange): string {
  for (const { entry } of newestFirst(range)) {
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    const text = blockText(entry.content).trim();
    if (text !== "") return text;
  }
  return "";
}
