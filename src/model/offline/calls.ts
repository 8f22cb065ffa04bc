/** Calls of the ordinary tools, and how their results are read: lines in any other form are skipped. */

import { clipLine } from "../../base/clip.ts";
import type { ToolInput } from "../../protocol/block.ts";
import type { CallStep } from "./conversation.ts";

export type PlannedCall = { tool: string; input: ToolInput };

/**
 * A part of a script: yields tool calls, gets their results in the same order, and returns what it
 * made of them.
 */
export type PlannedCalls<T> = Generator<PlannedCall[], T, CallStep[]>;

/** The work on a request. Returns the answer, in Markdown. */
export type AnswerScript = PlannedCalls<string>;

const noResult: CallStep = { tool: "", input: {}, text: "", failed: true, cleared: true };

export function* make(tool: string, input: ToolInput): PlannedCalls<CallStep> {
  const [step = noResult] = yield [{ tool, input }];
  return step;
}

/** `offset`: the first line, from 1. */
export const readLines = (path: string, offset = 1, limit = 200): PlannedCalls<CallStep> =>
  make("Read", { file_path: path, offset, limit });

/** `description`: shown in place of the pattern. */
export const findFiles = (pattern: string, description: string): PlannedCall => ({
  tool: "Glob",
  input: { pattern, description },
});

export const searchText = (pattern: string, description: string): PlannedCall => ({
  tool: "Grep",
  input: { pattern, description, "-i": true, output_mode: "content", head_limit: 200 },
});

/** Paths of files that match, and how many there are with those that are not listed. */
export function* listFiles(
  pattern: string,
  description: string,
): PlannedCalls<{ paths: string[]; total: number }> {
  const { input, tool } = findFiles(pattern, description);
  const { failed, text } = yield* make(tool, input);
  const paths = failed ? [] : parsePaths(text);
  const more = /^\[([\d,]+) more files match/m.exec(text)?.[1] ?? "0";
  return { paths, total: paths.length + Number(more.replaceAll(",", "")) };
}

export const hasEffects = (tool: string): boolean => tool === "Edit" || tool === "Bash";

/** A line of a file, by its number from 1. */
export type MatchedLine = { path: string; line: number; text: string };

/** A line in an answer. */
export const quote = ({ path, line, text }: MatchedLine): string =>
  `\`${path}:${line}\`${text.trim() === "" ? "" : `  ${clipLine(text.replace(/,\s*$/, ""), 110)}`}`;

/** The lines of a page of a file. */
export const pageLines = (path: string, page: string): MatchedLine[] =>
  page.split("\n").flatMap((shown) => {
    const [, line, text = ""] = /^\s*(\d+)\t(.*)$/.exec(shown) ?? [];
    return line === undefined ? [] : [{ path, line: Number(line), text }];
  });

/** Search results: `path:line:text` */
export const parseMatches = (found: string): MatchedLine[] =>
  found.split("\n").flatMap((shown) => {
    const [, path, line, text = ""] = /^([^:[][^:]*):(\d+):(.*)$/.exec(shown) ?? [];
    return path === undefined ? [] : [{ path, line: Number(line), text }];
  });

export const parsePaths = (text: string): string[] =>
  text.split("\n").filter((line) => line !== "" && !/^(\[|No files? match)/.test(line));
