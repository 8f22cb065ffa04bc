/** Sessions that are written whole: from a path of another one, or from facts recorded elsewhere. */

import { closeSync, existsSync, futimesSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import type { EntryId, Fact } from "../protocol/entry.ts";
import { LogError, logError } from "./log-error.ts";
import { acquireLock } from "./lock.ts";
import { entryAt, formatEntry, parseLine } from "./parse.ts";
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

/** Collects a session from facts recorded elsewhere, and writes it completely or not at all. */
export class LogImporter {
  readonly file: string;
  readonly #lines: string[] = [];
  readonly #unlock: () => void;

  /** Throws `LogError` when the folder cannot be written or the session already exists. */
  constructor(folder: string, session: string) {
    this.file = join(folder, `${session}.jsonl`);
    try {
      makeFolder(folder);
      this.#unlock = acquireLock(this.file).release;
    } catch (error) {
      throw this.#notWritten(error);
    }
    if (!existsSync(this.file)) return;
    this.#unlock();
    throw alreadyExists(this.file);
  }

  /** How many were appended. */
  get entries(): number {
    return this.#lines.length;
  }

  /** `parent` is an earlier entry of this import; `at` is when it happened. Throws `LogError`. */
  append(fact: Fact, at: string, parent: EntryId | null): EntryId {
    const id: EntryId = `e${this.entries + 1}`;
    const line = formatEntry(entryAt(fact, { id, parent, at }));
    const { entry, problem } = parseLine(line);
    if (entry === null || problem !== undefined) {
      throw new LogError(`An entry for ${this.file} ${problem}; it was not written.`);
    }
    this.#lines.push(line);
    return id;
  }

  /**
   * Publishes the session, last changed at `changedMs` since the epoch. Throws `LogError`; nothing
   * is left on disk then.
   */
  finish(changedMs: number): void {
    try {
      writeWhole(this.file, this.#lines, changedMs);
    } catch (error) {
      throw this.#notWritten(error);
    } finally {
      this.discard();
    }
  }

  /** Gives up what is not finished, and releases the lock. */
  discard(): void {
    this.#unlock();
  }

  #notWritten(error: unknown): LogError {
    return logError(`The session ${this.file} cannot be written`, error);
  }
}

const alreadyExists = (file: string): LogError =>
  new LogError(`The session ${file} already exists.`);

/** Lines that are written at once. */
const batchLines = 1_000;

/** Writes a log under another name and renames it once it is synced. */
function writeWhole(file: string, lines: readonly string[], changedMs: number = Date.now()): void {
  if (existsSync(file)) throw alreadyExists(file);
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
