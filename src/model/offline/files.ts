/** Reading files, without reading again what the context already holds. */

import type { Conversation, Step } from "./conversation.ts";
import { pageLines, pathsIn, saysChanged, totalLines, type Line } from "./results.ts";
import { make, type Calls } from "./script.ts";
import { changesFiles, findFiles, pathOf, readFile, toolNames, type Call } from "./tools.ts";

/** The beginning of a file; `total` is the number of lines in all of it. */
export type FileStart = { path: string; lines: Line[]; total: number };

/** Null: there is no such text file. */
export function* openFile(
  path: string,
  conversation: Conversation,
  maxLines = 200,
): Calls<FileStart | null> {
  const call = readFile(path, 1, maxLines);
  const known = knownResult(call, conversation);
  if (known) {
    // One line is enough for the tool to say whether the file changed since.
    const check = yield* make(readFile(path, 1, 1));
    if (!check.failed && !saysChanged(check.text)) return startOf(path, known);
  }
  const step = yield* make(call);
  return step.failed ? null : startOf(path, step);
}

function startOf(path: string, { text }: Step): FileStart {
  const lines = pageLines(path, text);
  return { path, lines, total: totalLines(text) ?? lines.length };
}

/** The result of the same call in an earlier exchange, if nothing in the context is newer. */
function knownResult(call: Call, { before }: Conversation): Step | undefined {
  const steps = before
    .flatMap((exchange) => exchange.steps)
    .filter(({ input }) => pathOf(input) === pathOf(call.input));
  const at = steps.findLastIndex(
    ({ tool, input, failed, cleared }) =>
      tool === call.tool && !failed && !cleared && Bun.deepEquals(input, call.input),
  );
  const isNewer = ({ tool, cleared, text }: Step): boolean =>
    changesFiles(tool) || cleared || (tool === toolNames.read && saysChanged(text));
  return steps.slice(at + 1).some(isNewer) ? undefined : steps[at];
}

/** Names of the files in the top folder. A pattern with a slash does not search the folders below. */
export function* topFiles(): Calls<string[]> {
  const { text, failed } = yield* make(findFiles("{*,/}"));
  return failed ? [] : pathsIn(text);
}

/** Opens those of the files that exist, in the order of `names`. */
export function* openExisting(
  names: readonly string[],
  existing: readonly string[],
  conversation: Conversation,
): Calls<FileStart[]> {
  const files: FileStart[] = [];
  for (const name of names) {
    const file = existing.includes(name) ? yield* openFile(name, conversation) : null;
    if (file) files.push(file);
  }
  return files;
}

/** Paths of files that have this name, with or without an extension, or whose path ends with it. */
export function* filesCalled(name: string): Calls<string[]> {
  const pattern = /\.\w+$/.test(name) ? name : `{${name},${name}.*}`;
  const { text, failed } = yield* make(findFiles(name.includes("/") ? `**/${pattern}` : pattern));
  return failed ? [] : pathsIn(text);
}

const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__|__mocks__)(?:\/|$)|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$/i;

export const isTest = (path: string): boolean => testFile.test(path);
export const isProse = (path: string): boolean => /\.(?:md|mdx|txt|rst|adoc)$/i.test(path);
export const isData = (path: string): boolean =>
  /\.(?:json|jsonl|lock|lockb|ya?ml|toml|csv|svg|snap|xml|ini|map|sum)$/i.test(path);

export const testsLast = (found: readonly Line[]): Line[] =>
  found.toSorted((a, b) => Number(isTest(a.path)) - Number(isTest(b.path)));
