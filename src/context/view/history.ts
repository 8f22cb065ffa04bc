/**
 * Where in a path the parts are that summaries keep or list, so that a summary, which is about the
 * whole session, need not look at every entry.
 */

import type { Entry, EntryId, EntryOf } from "../../protocol/entry.ts";
import { todosOf } from "../../protocol/todo.ts";

export type UserMessage = { readonly entry: EntryId; readonly text: string };

export type FileTouched = { path: string; written: boolean };

/** Rows from one to another, both included. */
export type Rows = { from: number; to: number };

/** `todos`: answers that wrote a todo list; `command`: answers that ran one; `error`: failed results. */
type Kind = "user" | "context" | "todos" | "command" | "error";

export class History {
  readonly #rows: Record<Kind, number[]> = {
    user: [],
    context: [],
    todos: [],
    command: [],
    error: [],
  };
  /** By row: messages that summaries have read. */
  readonly messages = new Map<number, UserMessage>();
  /** Every use of a file, oldest first. */
  readonly #touches: ({ row: number } & FileTouched)[] = [];

  add(entry: Entry, row: number): void {
    switch (entry.type) {
      case "user":
      case "context":
        this.#rows[entry.type].push(row);
        break;
      case "assistant":
        this.#addAnswer(entry, row);
        break;
      case "result":
        if (entry.isError) this.#rows.error.push(row);
        for (const { path, does } of entry.stamps ?? [])
          this.#touches.push({ row, path, written: does === "write" });
        break;
      default:
    }
  }

  /** The row shows a different text now. */
  changed(row: number): void {
    this.messages.delete(row);
  }

  #addAnswer(answer: EntryOf<"assistant">, row: number): void {
    if (answer.stop === "failed") return;
    if (todosOf(answer)) this.#rows.todos.push(row);
    if (answer.content.some(isCommand)) this.#rows.command.push(row);
  }

  /** The rows of a kind, oldest first. */
  rows(kind: Kind, { from, to }: Rows): number[] {
    return this.#rows[kind].filter((row) => row >= from && row <= to);
  }

  /** The last row of a kind; undefined: there is none. */
  lastRow(kind: Kind, { from, to }: Rows): number | undefined {
    const row = this.#rows[kind].findLast((one) => one <= to);
    return row !== undefined && row >= from ? row : undefined;
  }

  /** Files that were read or written, the most recent first. */
  files({ from, to }: Rows): FileTouched[] {
    const files = new Map<string, boolean>();
    for (const { row, path, written } of this.#touches.toReversed()) {
      if (row > to) continue;
      if (row < from) break;
      files.set(path, files.get(path) === true || written);
    }
    return [...files].map(([path, written]) => ({ path, written }));
  }
}

/** A call that runs a shell command, whatever its tool is named. */
export const isCommand = (block: EntryOf<"assistant">["content"][number]): boolean =>
  block.type === "tool_use" && typeof block.input["command"] === "string";
