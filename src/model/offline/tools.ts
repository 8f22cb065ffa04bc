/** The names of the tools and the keys of their inputs; nothing else in this folder knows them. */

import type { ToolInput } from "../../protocol/block.ts";

export type PlannedCall = {
  tool: string;
  input: ToolInput;
  /** Not repeated, even if its result was cleared from the context. */
  once?: true;
};

export const toolNames = {
  run: "Bash",
  read: "Read",
  write: "Write",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
} as const;

export const runCommand = (command: string, access: ToolInput = {}): PlannedCall => ({
  tool: toolNames.run,
  input: { command, ...access },
});

/** `offset`: the first line, from 1. */
export const readFile = (path: string, offset = 1, limit = 200): PlannedCall => ({
  tool: toolNames.read,
  input: { file_path: path, offset, limit },
});

export const writeFile = (path: string, content: string): PlannedCall => ({
  tool: toolNames.write,
  input: { file_path: path, content },
});

export const editFile = (path: string, from: string, to: string, all = false): PlannedCall => ({
  tool: toolNames.edit,
  input: {
    file_path: path,
    old_string: from,
    new_string: to,
    ...(all ? { replace_all: true } : {}),
  },
});

export const findFiles = (pattern: string, path?: string, about?: string): PlannedCall => ({
  tool: toolNames.glob,
  input: { pattern, ...(about ? { description: about } : {}), ...(path ? { path } : {}) },
});

type OfflineGrep = {
  /** The search in words; the screen shows it instead of the pattern. */
  about?: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  limit?: number;
  /** Matching lines per file instead of the lines. */
  count?: boolean;
};

export const searchText = (
  pattern: string,
  { about, path, glob, ignoreCase, limit = 60, count }: OfflineGrep = {},
): PlannedCall => ({
  tool: toolNames.grep,
  input: {
    pattern,
    ...(about ? { description: about } : {}),
    ...(path ? { path } : {}),
    ...(glob ? { glob } : {}),
    ...(ignoreCase ? { "-i": true } : {}),
    output_mode: count ? "count" : "content",
    head_limit: limit,
  },
});

export const hasEffects = (tool: string): boolean =>
  tool === toolNames.edit || tool === toolNames.write || tool === toolNames.run;
