import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Entry, EntryId, Fact } from "../protocol/entry.ts";
import { LogError, reasonOf } from "./log-error.ts";
import { takeLock } from "./lock.ts";
import type { SessionLog } from "./log.ts";
import { formatEntry, parseLine, placed } from "./parse.ts";
import { emptyLog, readLog, type ReadLog } from "./read.ts";
import { pathTo } from "./tree.ts";
import { LineWriter } from "./writer.ts";

/** A session's log on disk: JSON lines, appended and synced, by one process at a time. */
export class LogStore implements SessionLog {
  readonly file: string;
  readonly session: string;
  /** What had to be repaired or passed over on opening, a sentence each. */
  readonly repairs: readonly string[];
  /** Why nothing can be appended; null: it can. */
  readonly readOnly: string | null;
  readonly #found: ReadLog;
  readonly #writer: LineWriter;
  readonly #unlock: () => void;
  /** On their way to the disk. */
  readonly #pending = new Set<EntryId>();
  #path: Entry[];
  /** Parent of the next entry: the head, counting what is on its way to the disk. */
  #tip: EntryId | null;

  constructor(file: string, found: ReadLog, unlock: () => void, readOnly: string | null) {
    this.file = file;
    this.session = basename(file, ".jsonl");
    this.repairs = found.problems;
    this.readOnly = readOnly;
    this.#found = found;
    this.#unlock = unlock;
    this.#writer = new LineWriter(file, found.end);
    this.#path = pathTo(found.entries.at(-1)?.id ?? null, found.byId);
    this.#tip = this.head;
  }

  get path(): readonly Entry[] {
    return this.#path;
  }

  get head(): EntryId | null {
    return this.#path.at(-1)?.id ?? null;
  }

  /** Entries of all branches, in the order they were written. */
  get entries(): readonly Entry[] {
    return this.#found.entries;
  }

  get(id: EntryId): Entry | undefined {
    return this.#found.byId.get(id);
  }

  async append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry> {
    if (this.readOnly !== null) throw new LogError(this.readOnly);
    const parent = options ? options.parent : this.#tip;
    if (parent !== null && !this.#found.byId.has(parent) && !this.#pending.has(parent)) {
      throw new LogError(`There is no entry ${parent} in ${this.file} to go on from.`);
    }
    const place = {
      id: `e${this.#found.lastNumber + 1}`,
      parent,
      at: new Date().toISOString(),
    };
    const line = formatEntry(placed(fact, place));
    // What a resumed session would read is what this one goes on with.
    const { entry, problem } = parseLine(line);
    if (entry === null || problem !== undefined) {
      throw new LogError(`An entry for ${this.file} ${problem}; it was not written.`);
    }
    this.#found.lastNumber++;
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
      this.#unlock();
    }
  }

  #admit(entry: Entry): void {
    const extendsPath = entry.parent === this.head;
    this.#pending.delete(entry.id);
    this.#found.entries.push(entry);
    this.#found.byId.set(entry.id, entry);
    if (extendsPath) this.#path.push(entry);
    else this.#path = pathTo(entry.id, this.#found.byId);
  }
}

/**
 * A new session in a folder, which is made. Its file appears with the first entry. Throws
 * `LogError` when the folder cannot be written or there is such a session already.
 */
export function createLog(folder: string, session: string = newSessionName()): LogStore {
  const file = join(folder, `${session}.jsonl`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LogError(`The folder for sessions, ${folder}, cannot be made: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  const unlock = takeLock(file);
  if (existsSync(file)) {
    unlock();
    throw new LogError(`There is a session ${file} already.`);
  }
  return new LogStore(file, emptyLog(), unlock, null);
}

/**
 * A session that is there already. What a later version wrote opens for reading only. Throws
 * `LogError` when it cannot be read, or when another process has it open, unless it is opened for
 * reading only.
 */
export function openLog(file: string, options: { readOnly?: boolean } = {}): LogStore {
  if (!existsSync(file)) throw new LogError(`There is no session ${file}.`);
  const unlock = options.readOnly ? nothing : takeLock(file);
  try {
    const found = readLog(file);
    const readOnly =
      found.laterVersion !== null
        ? `The session ${file} was written by a later version of mini-claude (format ${found.laterVersion}): it can be read, not gone on with. Update mini-claude to go on.`
        : options.readOnly
          ? `The session ${file} is open for reading only.`
          : null;
    if (readOnly !== null) unlock();
    return new LogStore(file, found, readOnly === null ? unlock : nothing, readOnly);
  } catch (error) {
    unlock();
    if (error instanceof LogError) throw error;
    throw new LogError(`The session ${file} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

const nothing = (): void => undefined;

/** "20261120-233000-4fd1c2": sorts by time, and a person can type it. */
export const newSessionName = (now: Date = new Date()): string =>
  `${now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}-${randomBytes(3).toString("hex")}`;
