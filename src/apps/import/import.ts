/** `mini-claude import`: imports sessions of other agents. */

import { basename } from "node:path";
import type { EntryId, Fact } from "../../protocol/entry.ts";
import { errorCode } from "../../protocol/guards.ts";
import { messageOf } from "../../protocol/in-words.ts";
import type { Progress } from "../../protocol/progress.ts";
import { sourcesIn } from "./detect.ts";
import { readOptions } from "./options.ts";
import { formatJson, formatResult, summarizeResults, type ImportResult } from "./import-result.ts";
import { folderOf, writeSession, type Destination } from "./write-session.ts";
import { ImportIndex, type Earlier } from "./import-index.ts";
import type { ReadResult } from "./source.ts";
import { SourceFile } from "./source-file.ts";
import { filesAt } from "./walk.ts";

/** A log that appears only once it is complete. */
type Draft = {
  readonly file: string;
  readonly entries: number;
  append(fact: Fact, at: string, parent: EntryId | null): EntryId;
  finish(changedMs: number): void;
  discard(): void;
};

export type ImportIo = {
  out(text: string): void;
  err(text: string): void;
  progress?: Progress;
  cwd: string;
  /** Holds one folder per project. */
  sessions: string;
  destination: Destination;
  /** Starts a log among the sessions of a folder. */
  begin(cwd: string, session: string): Draft;
  /** Deletes a session; throws when it is open elsewhere. */
  remove(file: string): void;
};

const exitDone = 0;
const exitFailed = 1;

/** Returns the exit code. Throws `UsageError`. */
export function runImport(args: readonly string[], io: ImportIo): number {
  const options = readOptions(args);
  const index = new ImportIndex(io.sessions);
  const results: ImportResult[] = [];
  const report = (result: ImportResult): void => {
    results.push(result);
    // Other files in a folder are counted at the end, not listed one by one.
    if (options.json) io.out(`${formatJson(result)}\n`);
    else if (result.status === "failed") io.err(`${formatResult(result)}\n`);
    else if (result.status !== "skipped") io.out(`${formatResult(result)}\n`);
  };
  for (const place of options.places) {
    const found = filesAt(place, io.cwd);
    if (!found) report({ file: place, status: "failed", reason: "no such file or folder" });
    for (const [done, file] of found?.files.entries() ?? []) {
      io.progress?.(done, found?.files.length ?? 0, basename(file));
      const all = [...importFile(file, found?.isFolder === true, index, io)];
      // What was named is expected to be imported; of a database, only some sessions may be.
      const isNamed = !found?.isFolder && all.length === 1;
      for (const result of all)
        report(isNamed && result.status === "skipped" ? { ...result, status: "failed" } : result);
    }
  }
  const here = results.some(({ status }) => ["imported", "updated", "known"].includes(status));
  if (results.length === 0) io.err("No sessions found.\n");
  else if (!options.json && (results.length > 1 || !here)) io.err(`${summarizeResults(results)}\n`);
  return here && !results.some(({ status }) => status === "failed") ? exitDone : exitFailed;
}

function* importFile(
  path: string,
  inFolder: boolean,
  index: ImportIndex,
  io: ImportIo,
): Generator<ImportResult> {
  try {
    using file = new SourceFile(path);
    const found = sourcesIn(file);
    if (found.sources === null)
      return yield { file: path, status: "skipped", reason: found.reason };
    const skipsSubagents = inFolder || found.sources.length > 1;
    for (const [done, source] of found.sources.entries()) {
      if (found.sources.length > 1)
        io.progress?.(done, found.sources.length, source.info.title ?? source.info.id);
      yield importSource(source, path, skipsSubagents, index, io);
    }
  } catch (error) {
    yield { file: path, status: "failed", reason: reasonOf(error) };
  }
}

function importSource(
  source: ReadResult,
  path: string,
  skipsSubagents: boolean,
  index: ImportIndex,
  io: ImportIo,
): ImportResult {
  const { agent, id, isSubagent } = source.info;
  const origin = { file: path, agent, id };
  if (isSubagent && skipsSubagents)
    return { ...origin, status: "skipped", reason: "it is the conversation of a subagent" };
  if (!source.hasConversation)
    return { ...origin, status: "skipped", reason: "it contains no conversation" };
  return { ...origin, ...place(source, path, index, io) };
}

type Placed = Omit<ImportResult, "file">;

function place(source: ReadResult, path: string, index: ImportIndex, io: ImportIo): Placed {
  const { info } = source;
  const earlier = index.find(info);
  const [latest] = earlier;
  const title = info.title ?? `session ${info.id}`;
  if (latest && latest.bytes >= info.bytes) {
    const { session, file: log } = latest;
    return { status: "known", session, log, title, reason: "already imported" };
  }
  const placed = write(source, path, index, io);
  if (placed.status !== "imported" || !latest) return placed;
  const notes = earlier.map((one) => replaceEarlier(one, io)).join("; ");
  return {
    ...placed,
    status: "updated",
    reason: [placed.reason, notes].filter(Boolean).join("; "),
  };
}

/** Removes an earlier, shorter import, unless it was continued here. */
function replaceEarlier(earlier: Earlier, io: ImportIo): string {
  const kept = (why: string): string => `kept the earlier import ${earlier.session}, which ${why}`;
  if (!earlier.isUntouched) return kept("was continued here");
  try {
    io.remove(earlier.file);
    return `replaces ${earlier.session}`;
  } catch {
    return kept("is open");
  }
}

function write(source: ReadResult, path: string, index: ImportIndex, io: ImportIo): Placed {
  const { info, skipped } = source;
  const own = folderOf(info);
  const cwd = own ?? io.cwd;
  const name = index.nameFor(info);
  const draft = io.begin(cwd, name);
  try {
    const written = writeSession(source, path, name, cwd, draft, io.destination);
    if (written.conversation === 0)
      return { status: "skipped", reason: "it contains no conversation" };
    // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
    draft.finish(Math.min(Math.max(written.lastMs, 0), Date.now()));
    index.put(info, draft.file);
    const { file: log, entries } = draft;
    const reason = own === null ? "its folder is unknown, so it is filed under this one" : "";
    const { title } = written;
    const left = skipped.kinds;
    return { status: "imported", session: name, log, cwd, title, entries, reason, skipped: left };
  } finally {
    draft.discard();
  }
}

const reasons = new Map([
  ["ENOENT", "it does not exist"],
  ["EACCES", "you have no permission to read it"],
  ["EPERM", "you have no permission to read it"],
  ["EISDIR", "it is a folder"],
]);

const reasonOf = (error: unknown): string => reasons.get(errorCode(error)) ?? messageOf(error);
