import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { open, truncate, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Entry, EntryId, Fact } from "../protocol/entry.ts";
import { LogError } from "./errors.ts";
import { takeLock } from "./lock.ts";
import type { SessionLog } from "./log.ts";
import { formatEntry } from "./parse.ts";
import { readLog } from "./read.ts";
import { pathTo } from "./tree.ts";

/** A session's log on disk: JSON lines, appended and synced, by one process at a time. */
export class LogStore implements SessionLog {
  readonly file: string;
  readonly session: string;
  /** What had to be repaired or passed over on opening, a sentence each. */
  readonly repairs: string[];
  readonly #byId = new Map<EntryId, Entry>();
  readonly #unlock: () => void;
  #entries: Entry[];
  #path: Entry[];
  /** Parent of the next entry: the head, counting what is on its way to the disk. */
  #tip: EntryId | null;
  #number: number;
  #handle: FileHandle | null = null;
  #torn: { bytes: number; text: string } | null;
  #waiting: { entry: Entry; done(entry: Entry): void; failed(error: Error): void }[] = [];
  #flushing: Promise<void> | null = null;
  #broken: LogError | null = null;

  constructor(file: string, found: ReturnType<typeof readLog>, unlock: () => void) {
    this.file = file;
    this.session = basename(file, ".jsonl");
    this.repairs = found.problems;
    this.#unlock = unlock;
    this.#entries = found.entries;
    for (const entry of found.entries) this.#byId.set(entry.id, entry);
    this.#path = pathTo(found.entries.at(-1)?.id ?? null, this.#byId);
    this.#tip = this.head;
    this.#number = found.entries.reduce((most, entry) => Math.max(most, numberOf(entry.id)), 0);
    this.#torn = found.torn === "" ? null : { bytes: found.bytes, text: found.torn };
  }

  get path(): readonly Entry[] {
    return this.#path;
  }

  get head(): EntryId | null {
    return this.#path.at(-1)?.id ?? null;
  }

  /** Entries of all branches, in the order they were written. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get(id: EntryId): Entry | undefined {
    return this.#byId.get(id);
  }

  append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry> {
    if (this.#broken) return Promise.reject(this.#broken);
    const parent = options ? options.parent : this.#tip;
    const entry: Entry = {
      id: `e${++this.#number}`,
      parent,
      at: new Date().toISOString(),
      ...fact,
    };
    this.#tip = entry.id;
    return new Promise((done, failed) => {
      this.#waiting.push({ entry, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#handle?.close();
    this.#handle = null;
    this.#unlock();
  }

  /** Group commit: what arrives while one sync is under way shares the next. */
  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        this.#handle ??= await this.#openForAppend();
        await this.#handle.appendFile(batch.map(({ entry }) => formatEntry(entry)).join(""));
        await this.#handle.datasync();
      } catch (error) {
        this.#fail([...batch, ...this.#waiting], error);
        break;
      }
      for (const { entry, done } of batch) {
        this.#admit(entry);
        done(entry);
      }
    }
    this.#flushing = null;
  }

  #admit(entry: Entry): void {
    const extendsPath = entry.parent === this.head;
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    if (extendsPath) this.#path.push(entry);
    else this.#path = pathTo(entry.id, this.#byId);
  }

  async #openForAppend(): Promise<FileHandle> {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    if (this.#torn) {
      writeFileSync(`${this.file}.torn`, this.#torn.text, { mode: 0o600 });
      await truncate(this.file, this.#torn.bytes);
      this.#torn = null;
    }
    const handle = await open(this.file, "a", 0o600);
    syncFolder(dirname(this.file));
    return handle;
  }

  /** After a failed write nobody knows what is on the disk: nothing more is acknowledged. */
  #fail(waiting: readonly { failed(error: Error): void }[], cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#broken = new LogError(
      `The session's log ${this.file} cannot be written (${why}). What was said before is safe; free the disk and resume.`,
      { cause },
    );
    this.#waiting = [];
    for (const { failed } of waiting) failed(this.#broken);
  }
}

/** A new session. Its file appears with the first entry. */
export function createLog(folder: string, session: string): LogStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${session}.jsonl`);
  const empty = { entries: [], bytes: 0, torn: "", problems: [], later: false };
  return new LogStore(file, empty, takeLock(file));
}

/**
 * A session that is there already. Throws `LogError` when another process has it open, when it
 * cannot be read, or when a later version wrote it.
 */
export function openLog(file: string): LogStore {
  const unlock = takeLock(file);
  try {
    const found = readLog(file);
    if (found.later) {
      throw new LogError(
        `${file} was written by a later version of mini-claude. It can be shown and exported; update to go on with it.`,
      );
    }
    return new LogStore(file, found, unlock);
  } catch (error) {
    unlock();
    if (error instanceof LogError) throw error;
    throw new LogError(
      `The session ${file} cannot be read (${error instanceof Error ? error.message : error}).`,
      { cause: error },
    );
  }
}

/** Makes a new file's name survive a power loss. Some file systems cannot; then nothing is lost but that. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, "r");
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    return;
  }
}

const numberOf = (id: EntryId): number => {
  const number = /^e(\d+)$/.exec(id)?.[1];
  return number === undefined ? 0 : Number(number);
};
