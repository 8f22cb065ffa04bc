/** The names of the tools and the keys of their inputs; nothing else in this folder knows them. */

import type { ToolInput } from "../../protocol/block.ts";

export type PlannedCall = { tool: string; input: ToolInput };

export const toolNames = {
  run: "Bash",
  read: "Read",
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
  ignoreCase?: boolean;
  limit?: number;
};

export const searchText = (
  pattern: string,
  { about, ignoreCase, limit = 60 }: OfflineGrep = {},
): PlannedCall => ({
  tool: toolNames.grep,
  input: {
    pattern,
    ...(about ? { description: about } : {}),
    ...(ignoreCase ? { "-i": true } : {}),
    output_mode: "content",
    head_limit: limit,
  },
});

export const hasEffects = (tool: string): boolean =>
  tool === toolNames.edit || tool === toolNames.run;
