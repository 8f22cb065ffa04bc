/** The session's work in progress: its files and which of them a summary shows, commands, the todo list. */

import { blockText, type ToolUseBlock } from "../../protocol/block.ts";
import type { EntryOf, Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { lastTodos, type Todo } from "../../protocol/todo.ts";
import { effectiveWindow } from "../meter/meter.ts";
import type { View } from "../types.ts";
import { isAnswer } from "../view/blocks.ts";
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

/** A file as it is on disk now. */
export type FileNow = { path: string; text: string; lines: number };

/** Candidates beyond this many are not read. */
const maxCandidates = 20;
/** A file that no call has used for longer is finished work. */
const usedWithinCalls = 80;

/** Files that a summary shows, the tokens of one of them, and of all together. */
const maxShown = 8;
const fileTokens = 8_000;
const filesTokens = 30_000;

/** All files together take at most this share of the window. */
const maxShare = 1 / 8;

/** Chooses files within the limits of number and tokens. */
export class ActiveFiles {
  readonly chosen: FileNow[] = [];
  /** Paths to offer, the most recent first. */
  readonly candidates: readonly string[];
  /** Limits in characters: of one file, and of all that are still to be offered. */
  readonly #maxChars: number;
  #leftChars: number;

  constructor(view: View, span: Span, rules: ModelRules, policy: Policy) {
    const { code } = rules.charsPerToken;
    this.candidates = filesInWork(view, span, maxCandidates)
      .map(({ path }) => path)
      .filter((path) => (view.fileUse(path)?.callsSince ?? 0) <= usedWithinCalls);
    this.#maxChars = fileTokens * code;
    this.#leftChars = Math.min(filesTokens, effectiveWindow(rules, policy) * maxShare) * code;
  }

  get isFull(): boolean {
    return this.#leftChars <= 0 || this.chosen.length >= maxShown;
  }

  /** `text`: the file as it is now; null if it cannot be read as text. */
  offer(path: string, text: string | null): void {
    if (text === null || text.trim() === "" || this.isFull) return;
    if (text.length > Math.min(this.#maxChars, this.#leftChars)) return;
    this.#leftChars -= text.length;
    this.chosen.push({ path, text, lines: text.replace(/\n$/, "").split("\n").length });
  }
}

/**
 * The files that were touched last, newest first, at most `most`. Leaves out a file that is still in
 * view after the span, whole and unchanged.
 */
function filesInWork(view: View, span: Span, most: number): FileTouched[] {
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
