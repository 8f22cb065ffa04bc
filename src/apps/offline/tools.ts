/** The names of the tools and the keys of their inputs; nothing else here knows them. */

import type { ToolInput } from "../../protocol/block.ts";

export type Call = {
  tool: string;
  input: ToolInput;
  /** That it ran is enough: a result that was cleared from the context is not asked for again. */
  once?: true;
};

export const toolNames = {
  run: "bash",
  read: "read_file",
  write: "write_file",
  edit: "edit_file",
  glob: "glob",
  grep: "grep",
  todo: "todo",
} as const;

const keys = { path: "path", command: "command", pattern: "pattern" } as const;

export const runCommand = (command: string): Call => ({
  tool: toolNames.run,
  input: { [keys.command]: command },
});

/** `offset`: the first line, from 1. */
export const readFile = (path: string, offset = 1, limit = 200): Call => ({
  tool: toolNames.read,
  input: { [keys.path]: path, offset, limit },
});

export const writeFile = (path: string, content: string): Call => ({
  tool: toolNames.write,
  input: { [keys.path]: path, content },
});

export const editFile = (path: string, from: string, to: string, all = false): Call => ({
  tool: toolNames.edit,
  input: { [keys.path]: path, old_text: from, new_text: to, ...(all ? { replace_all: true } : {}) },
});

export const findFiles = (pattern: string, path?: string): Call => ({
  tool: toolNames.glob,
  input: { [keys.pattern]: pattern, ...(path ? { [keys.path]: path } : {}) },
});

export type SearchOptions = {
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  limit?: number;
  /** Matching lines per file instead of the lines. */
  count?: boolean;
};

export const searchText = (
  pattern: string,
  { path, glob, ignoreCase, limit = 60, count }: SearchOptions = {},
): Call => ({
  tool: toolNames.grep,
  input: {
    [keys.pattern]: pattern,
    ...(path ? { [keys.path]: path } : {}),
    ...(glob ? { glob } : {}),
    ...(ignoreCase ? { ignore_case: true } : {}),
    ...(count ? { output: "count" } : {}),
    limit,
  },
});

export type TodoStatus = "pending" | "in_progress" | "done" | "cancelled";
export type Todo = { text: string; status: TodoStatus };

export const setTodos = (items: readonly Todo[]): Call => ({
  tool: toolNames.todo,
  input: { items },
});

/** Items of a todo call that are still open. */
export function openTodos(input: ToolInput): string[] {
  const items = input["items"];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null || !("text" in item) || !("status" in item))
      return [];
    const isOpen = item.status === "pending" || item.status === "in_progress";
    return isOpen && typeof item.text === "string" ? [item.text] : [];
  });
}

const textAt = (input: ToolInput, key: string): string => {
  const value = input[key];
  return typeof value === "string" ? value : "";
};

export const pathOf = (input: ToolInput): string => textAt(input, keys.path);
export const commandOf = (input: ToolInput): string => textAt(input, keys.command);
export const patternOf = (input: ToolInput): string => textAt(input, keys.pattern);

export const changesFiles = (tool: string): boolean =>
  tool === toolNames.edit || tool === toolNames.write;

export const hasEffects = (tool: string): boolean => changesFiles(tool) || tool === toolNames.run;
