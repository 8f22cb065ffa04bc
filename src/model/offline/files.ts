/** Reading files, without reading again what the context already holds. */

import type { OfflineConversation, CallStep } from "./conversation.ts";
import { pageLines, parsePaths, saysChanged, totalLines, type FoundLine } from "./results.ts";
import { make, type PlannedCalls } from "./script.ts";
import {
  changesFiles,
  findFiles,
  readPath,
  readFile,
  toolNames,
  type PlannedCall,
} from "./tools.ts";

/** The beginning of a file; `total` is the number of lines in all of it. */
export type FileStart = { path: string; lines: FoundLine[]; total: number };

/** Null: there is no such text file. */
export function* openFile(
  path: string,
  conversation: OfflineConversation,
  maxLines = 200,
): PlannedCalls<FileStart | null> {
  const call = readFile(path, 1, maxLines);
  const known = knownResult(call, conversation);
  if (known) {
    // One line is enough for the tool to say whether the file changed since.
    const check = yield* make(readFile(path, 1, 1));
    if (!check.failed && !saysChanged(check.text)) return toFileStart(path, known);
  }
  const step = yield* make(call);
  return step.failed ? null : toFileStart(path, step);
}

function toFileStart(path: string, { text }: CallStep): FileStart {
  const lines = pageLines(path, text);
  return { path, lines, total: totalLines(text) ?? lines.length };
}

/** The result of the same call in an earlier exchange, if nothing in the context is newer. */
function knownResult(call: PlannedCall, { before }: OfflineConversation): CallStep | undefined {
  const steps = before
    .flatMap((exchange) => exchange.steps)
    .filter(({ input }) => readPath(input) === readPath(call.input));
  const at = steps.findLastIndex(
    ({ tool, input, failed, cleared }) =>
      tool === call.tool && !failed && !cleared && Bun.deepEquals(input, call.input),
  );
  const isNewer = ({ tool, cleared, text }: CallStep): boolean =>
    changesFiles(tool) || cleared || (tool === toolNames.read && saysChanged(text));
  return steps.slice(at + 1).some(isNewer) ? undefined : steps[at];
}

/** Names of the files in the top folder. A pattern with a slash does not search the folders below. */
export function* topFiles(): PlannedCalls<string[]> {
  const { text, failed } = yield* make(findFiles("{*,/}"));
  return failed ? [] : parsePaths(text);
}

/** Opens those of the files that exist, in the order of `names`. */
export function* openExisting(
  names: readonly string[],
  existing: readonly string[],
  conversation: OfflineConversation,
): PlannedCalls<FileStart[]> {
  const files: FileStart[] = [];
  for (const name of names) {
    const file = existing.includes(name) ? yield* openFile(name, conversation) : null;
    if (file) files.push(file);
  }
  return files;
}

/** Paths of files that have this name, with or without an extension, or whose path ends with it. */
export function* filesCalled(name: string): PlannedCalls<string[]> {
  const pattern = /\.\w+$/.test(name) ? name : `{${name},${name}.*}`;
  const { text, failed } = yield* make(findFiles(name.includes("/") ? `**/${pattern}` : pattern));
  return failed ? [] : parsePaths(text);
}

const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__|__mocks__)(?:\/|$)|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$/i;

export const isTest = (path: string): boolean => testFile.test(path);
export const isProse = (path: string): boolean => /\.(?:md|mdx|txt|rst|adoc)$/i.test(path);
export const isData = (path: string): boolean =>
  /\.(?:json|jsonl|lock|lockb|ya?ml|toml|csv|svg|snap|xml|ini|map|sum)$/i.test(path);

export const testsLast = (found: readonly FoundLine[]): FoundLine[] =>
  found.toSorted((a, b) => Number(isTest(a.path)) - Number(isTest(b.path)));
