/** What was being worked on: files, commands, the todo list. */

import { z } from "zod";
import { textOf, type ToolUseBlock } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Row } from "../types.ts";

export type Todo = { text: string; status: string };

const todoInput = z.object({ items: z.array(z.object({ text: z.string(), status: z.string() })) });

/** The newest todo list in these rows. */
export function todoIn(rows: readonly Row[]): Todo[] {
  for (const { call } of callsIn(rows).toReversed()) {
    if (call.name !== "todo") continue;
    const parsed = todoInput.safeParse(call.input);
    if (parsed.success) return parsed.data.items;
  }
  return [];
}

/** Paths that were read or written, the one that was touched last first. */
export function filesIn(rows: readonly Row[]): { path: string; written: boolean }[] {
  const files = new Map<string, boolean>();
  for (const { entry } of rows.toReversed()) {
    if (entry.type !== "result") continue;
    for (const { path, does } of entry.stamps ?? [])
      files.set(path, (files.get(path) ?? false) || does === "write");
  }
  return [...files].map(([path, written]) => ({ path, written }));
}

/** Every call with its result, where it has one. */
export function callsIn(
  rows: readonly Row[],
): { call: ToolUseBlock; result?: EntryOf<"result"> }[] {
  const results = new Map<string, EntryOf<"result">>();
  for (const { entry } of rows) if (entry.type === "result") results.set(entry.toolUse, entry);
  return rows.flatMap(({ entry }) =>
    entry.type !== "assistant"
      ? []
      : entry.content.flatMap((block) => {
          if (block.type !== "tool_use") return [];
          const result = results.get(block.id);
          return [{ call: block, ...(result ? { result } : {}) }];
        }),
  );
}

/** The last words of the model in these rows. */
export function lastWords(rows: readonly Row[]): string {
  for (const { entry } of rows.toReversed()) {
    if (entry.type !== "assistant") continue;
    const text = textOf(entry.content).trim();
    if (text !== "") return text;
  }
  return "";
}
