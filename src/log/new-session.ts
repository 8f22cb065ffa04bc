/** Sessions that are written whole: from a path of another one, or from facts recorded elsewhere. */

import { closeSync, existsSync, futimesSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { LogError, logError } from "./log-error.ts";
import { acquireLock } from "./lock.ts";
import { formatEntry, parseLine } from "./parse.ts";
import { pathTo, readLog } from "./read.ts";
import { newSessionName } from "./store.ts";

/**
 * Copies the path up to entry `at` (null: up to the head) of another session into a new session in
 * `folder`, with the same ids. Returns the new file. The other session may be open. Throws `LogError`.
 */
export function forkLog(
  from: string,
  at: EntryId | null,
  folder: string,
  session: string = newSessionName(),
): string {
  const file = join(folder, `${session}.jsonl`);
  try {
    const content = readLog(from);
    if (content.entries.length === 0)
      throw new LogError(`The session ${from} is empty; there is nothing to fork.`);
    const head = at === null ? content.entries.at(-1) : content.byId.get(at);
    if (!head) throw new LogError(`There is no entry ${at} in ${from} to fork from.`);
    makeFolder(folder);
    writeWhole(file, pathTo(content, head).map(formatEntry));
    return file;
  } catch (error) {
    throw logError(`The session ${from} cannot be forked to ${file}`, error);
  }
}

/**
 * Writes a session recorded elsewhere, completely or not at all, as last changed at `changedMs` since
 * the epoch. Throws `LogError`.
 */
export function writeSession(file: string, entries: readonly Entry[], changedMs: number): void {
  try {
    makeFolder(dirname(file));
    const lock = acquireLock(file);
    try {
      writeWhole(file, entries.map(checkedLine), changedMs);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw logError(`The session ${file} cannot be written`, error);
  }
}

function checkedLine(entry: Entry): string {
  const line = formatEntry(entry);
  const { problem } = parseLine(line);
  if (problem !== undefined) throw new LogError(`The entry ${entry.id} ${problem}.`);
  return line;
}

/** Lines that are written at once. */
const batchLines = 1_000;

/** Writes a log under another name and renames it once it is synced. */
function writeWhole(file: string, lines: readonly string[], changedMs: number = Date.now()): void {
  if (existsSync(file)) throw new LogError(`The session ${file} already exists.`);
  const part = `${file}.part`;
  rmSync(part, { force: true });
  const fd = openSync(part, "wx", 0o600);
  try {
    for (let at = 0; at < lines.length; at += batchLines)
      writeAllSync(fd, Buffer.from(lines.slice(at, at + batchLines).join("")));
    futimesSync(fd, changedMs / 1000, changedMs / 1000);
    disk.fsync(fd);
    publish(part, file);
  } finally {
    closeSync(fd);
    rmSync(part, { force: true });
  }
}
