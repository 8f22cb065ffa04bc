import { randomBytes } from "node:crypto";
import { closeSync, existsSync, futimesSync, openSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isoTime, systemClock } from "../base/clock.ts";
import type { Entry, EntryId, Fact } from "../protocol/entry.ts";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import { LogError, logError } from "./log-error.ts";
import { acquireLock, type Lock } from "./lock.ts";
import type { SessionLog } from "./log.ts";
import { formatEntry, parseLine, entryAt } from "./parse.ts";
import { emptyLog, pathTo, readLog, type LogContent } from "./read.ts";
import { LineWriter, takenOver } from "./writer.ts";

/** A session log on disk: JSON lines, appended and synced by one process at a time. */
export class LogStore implements SessionLog {
  readonly file: string;
  readonly session: string;
  readonly #lock: Lock;
  readonly #mode: "write" | "read";
  readonly #content: LogContent;
  readonly #writer: LineWriter;
  /** Ids of entries not yet on disk. */
  readonly #pending = new Set<EntryId>();
  #path: Entry[];
  /** Parent of the next entry: the head, including entries not yet on disk. */
  #tip: EntryId | null;

  constructor(file: string, content: LogContent, lock: Lock | null) {
    this.file = file;
    this.session = basename(file, ".jsonl");
    this.#mode = lock === null ? "read" : "write";
    this.#lock = lock ?? noLock;
    this.#content = content;
    this.#writer = new LineWriter(file, content.end, () => {
      this.#pending.clear();
      this.#tip = this.head;
    });
    this.#path = pathTo(content);
    this.#tip = this.head;
  }

  /** Repaired and skipped lines, one sentence each. */
  get repairs(): readonly string[] {
    return this.#content.problems;
  }

  /** Why nothing can be appended; null when it can. */
  get readOnly(): string | null {
    const { laterVersion } = this.#content;
    if (laterVersion !== null)
      return `The session ${this.file} was written by a later version of mini-claude (format ${laterVersion}) and is read-only. Update mini-claude to continue it.`;
    return this.#mode === "read" ? `The session ${this.file} is open read-only.` : null;
  }

  get path(): readonly Entry[] {
    return this.#path;
  }

  get head(): EntryId | null {
    return this.#path.at(-1)?.id ?? null;
  }

  get entries(): readonly Entry[] {
    return this.#content.entries;
  }

  get(id: EntryId): Entry | undefined {
    return this.#content.byId.get(id);
  }

  async append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry> {
    if (this.readOnly !== null) throw new LogError(this.readOnly);
    if (!this.#lock.isOurs()) throw new LogError(takenOver(this.file));
    const parent = options ? options.parent : this.#tip;
    if (parent !== null && !this.#content.byId.has(parent) && !this.#pending.has(parent)) {
      throw new LogError(`There is no entry ${parent} in ${this.file} to continue from.`);
    }
    const position = {
      id: `e${this.#content.lastNumber + 1}`,
      parent,
      at: isoTime(systemClock),
    };
    const line = formatEntry(entryAt(fact, position));
    // Continue with exactly what a resumed session would read.
    const { entry, problem } = parseLine(line);
    if (entry === null || problem !== undefined) {
      throw new LogError(`An entry for ${this.file} ${problem}; it was not written.`);
    }
    this.#content.lastNumber++;
    this.#pending.add(entry.id);
    this.#tip = entry.id;
    await this.#writer.write(line);
    this.#admit(entry);
    return entry;
  }

  async close(): Promise<void> {
    try {
      await this.#writer.close();
    } finally {
      this.#lock.release();
    }
  }

  #admit(entry: Entry): void {
    const content = this.#content;
    const extendsPath = entry.parent === this.head;
    this.#pending.delete(entry.id);
    content.entries.push(entry);
    content.byId.set(entry.id, entry);
    if (extendsPath) this.#path.push(entry);
    else this.#path = pathTo(content);
  }
}

/**
 * Creates a session, and its folder. The file appears with the first entry. Throws `LogError` when
 * the folder cannot be written or the session already exists.
 */
export function createLog(folder: string, session: string = newSessionName()): LogStore {
  const file = join(folder, `${session}.jsonl`);
  try {
    makeFolder(folder);
  } catch (error) {
    throw logError(`The sessions folder ${folder} cannot be created`, error);
  }
  const lock = acquireLock(file);
  if (existsSync(file)) {
    lock.release();
    throw new LogError(`The session ${file} already exists.`);
  }
  return new LogStore(file, emptyLog(), lock);
}

type OpenOptions = {
  readOnly?: boolean;
  /** Told the bytes that were read of a long log. */
  onRead?: ((bytes: number) => void) | undefined;
};

/**
 * Opens an existing session; one written by a later version is read-only. Throws `LogError` when it
 * cannot be read, or when another process has it open and `readOnly` is not set.
 */
export function openLog(file: string, { readOnly = false, onRead }: OpenOptions = {}): LogStore {
  if (!existsSync(file)) throw new LogError(`The session ${file} does not exist.`);
  const lock = readOnly ? null : acquireLock(file);
  try {
    const log = new LogStore(file, readLog(file, onRead), lock);
    if (log.readOnly !== null) lock?.release();
    return log;
  } catch (error) {
    lock?.release();
    throw logError(`The session ${file} cannot be read`, error);
  }
}

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

const noLock: Lock = { release: () => undefined, isOurs: () => true };

/** A name such as "20261120-233000-4fd1c2": sorts by time and is easy to type. */
const newSessionName = (now: Date = new Date()): string =>
  `${now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}-${randomBytes(3).toString("hex")}`;
