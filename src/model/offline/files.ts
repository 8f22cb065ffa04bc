/** Finding and reading files. */

import { pageLines, parsePaths, totalLines, type MatchedLine } from "./results.ts";
import { make, type PlannedCalls } from "./script.ts";
import { findFiles, readFile } from "./tools.ts";

/** The beginning of a file; `total` is the number of lines in all of it. */
export type FileStart = { path: string; lines: MatchedLine[]; total: number };

/** Null: there is no such text file. */
export function* openFile(path: string, maxLines = 200): PlannedCalls<FileStart | null> {
  const { text, failed } = yield* make(readFile(path, 1, maxLines));
  if (failed) return null;
  const lines = pageLines(path, text);
  return { path, lines, total: totalLines(text) ?? lines.length };
}

/** Paths of files that have this name, with or without an extension, or whose path ends with it. */
export function* filesCalled(name: string): PlannedCalls<string[]> {
  const pattern = /\.\w+$/.test(name) ? name : `{${name},${name}.*}`;
  const { text, failed } = yield* make(findFiles(name.includes("/") ? `**/${pattern}` : pattern));
  return failed ? [] : parsePaths(text);
}

const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__)(?:\/|$)|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$/i;

export const isTest = (path: string): boolean => testFile.test(path);

/** Prose and data rank behind source. */
export const isSource = (path: string): boolean =>
  !/\.(?:md|mdx|txt|rst|json|jsonl|lock|ya?ml|toml|csv|svg|snap|xml)$/i.test(path);
