/** What the session was working on: files, calls, the todo list, the mode. */

import { textOf, type ToolUseBlock } from "../../protocol/block.ts";
import type { EntryOf, Span } from "../../protocol/entry.ts";
import { todosOf, type Todo } from "../../protocol/todo.ts";
import type { Row, View } from "../types.ts";

/** The newest todo list in these rows. */
export function todoIn(rows: readonly Row[]): readonly Todo[] {
  for (const { entry } of rows.toReversed()) {
    const todos = entry.type === "assistant" ? todosOfOnce(entry) : null;
    if (todos) return todos;
  }
  return [];
}

/** Every summary looks for the newest list in the whole session, so each answer is read once. */
const known = new WeakMap<EntryOf<"assistant">, readonly Todo[] | null>();

function todosOfOnce(answer: EntryOf<"assistant">): readonly Todo[] | null {
  let todos = known.get(answer);
  if (todos === undefined)
    known.set(answer, (todos = answer.stop === "failed" ? null : todosOf(answer)));
  return todos;
}

type FileTouched = { path: string; written: boolean };

/** Paths that were read or written, the most recent first. */
export function filesIn(rows: readonly Row[]): FileTouched[] {
  const files = new Map<string, boolean>();
  for (const { entry } of rows.toReversed()) {
    if (entry.type !== "result") continue;
    for (const { path, does } of entry.stamps ?? [])
      files.set(path, (files.get(path) ?? false) || does === "write");
  }
  return [...files].map(([path, written]) => ({ path, written }));
}

/**
 * The files that were touched last, newest first, at most `most`. Leaves out a file that is still in
 * view after the span, whole and unchanged.
 */
export function filesInWork(view: View, span: Span, most: number): FileTouched[] {
  const end = view.indexOf(span.to) ?? view.rows.length - 1;
  const inView = new Map<string, boolean>();
  for (const { entry, shown } of view.rows.slice(end + 1)) {
    if (entry.type !== "result") continue;
    for (const { path, does, lines } of entry.stamps ?? [])
      inView.set(path, does === "read" && lines === undefined && shown === "whole");
  }
  return filesIn(view.rows)
    .filter(({ path }) => inView.get(path) !== true)
    .slice(0, most);
}

export type Called = { call: ToolUseBlock; result: EntryOf<"result"> | undefined };

/** Every call, with its result if it has one, the newest first. An old call is read from the disk. */
export function* callsIn(rows: readonly Row[]): Generator<Called> {
  const results = new Map<string, EntryOf<"result">>();
  for (const { entry } of rows) if (entry.type === "result") results.set(entry.toolUse, entry);
  for (const { entry } of rows.toReversed()) {
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    for (const block of entry.content.toReversed()) {
      if (block.type !== "tool_use") continue;
      yield { call: block, result: results.get(block.id) };
    }
  }
}

/** The model's last text in these rows. */
export function lastWords(rows: readonly Row[]): string {
  for (const { entry } of rows.toReversed()) {
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    const text = textOf(entry.content).trim();
    if (text !== "") return text;
  }
  return "";
}

/**
 * What the program told the model and still applies: the newest version of each instructions file, of
 * the mode (planning or not) and of the environment.
 */
export function standingContext(rows: readonly Row[]): EntryOf<"context">[] {
  const newest = new Map<string, EntryOf<"context">>();
  for (const { entry } of rows) {
    if (entry.type !== "context") continue;
    const { kind, title } = entry;
    if (kind !== "instructions" && kind !== "mode" && kind !== "environment") continue;
    const key = kind === "instructions" ? `${kind} ${title}` : kind;
    newest.delete(key);
    newest.set(key, entry);
  }
  return [...newest.values()];
}
