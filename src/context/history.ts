/**
 * Where in a path the parts are that summaries keep or list. A summary is about the whole session,
 * and reading every old entry from disk again would take seconds.
 */

import { Column } from "../protocol/column.ts";
import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { todosOf } from "../protocol/todo.ts";

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
  /** By touch of a file: its row, its path, and 1 if the file was written. */
  readonly #touchedBy = new Column(Uint32Array);
  readonly #touchedPath = new Column(Uint32Array);
  readonly #isWrite = new Column(Uint8Array);
  #touches = 0;
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();

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
        for (const { path, does } of entry.stamps ?? []) this.#touch(row, path, does === "write");
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

  #touch(row: number, path: string, isWrite: boolean): void {
    let number = this.#pathNumbers.get(path);
    if (number === undefined) {
      number = this.#paths.push(path) - 1;
      this.#pathNumbers.set(path, number);
    }
    const touch = this.#touches++;
    this.#touchedBy.set(touch, row);
    this.#touchedPath.set(touch, number);
    this.#isWrite.set(touch, isWrite ? 1 : 0);
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
    for (let touch = this.#touches - 1; touch >= 0; touch--) {
      const row = this.#touchedBy.get(touch);
      if (row > to) continue;
      if (row < from) break;
      const path = this.#paths[this.#touchedPath.get(touch)] ?? "";
      files.set(path, files.get(path) === true || this.#isWrite.get(touch) === 1);
    }
    return [...files].map(([path, written]) => ({ path, written }));
  }
}

/** A call that runs a shell command, whatever its tool is named. */
export const isCommand = (block: EntryOf<"assistant">["content"][number]): boolean =>
  block.type === "tool_use" && typeof block.input["command"] === "string";
