import { closeSync, existsSync, futimesSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EntryId, Fact } from "../protocol/entry.ts";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import { LogError, logError } from "./log-error.ts";
import { acquireLock } from "./lock.ts";
import { formatEntry, parseLine, entryAt } from "./parse.ts";

const batchBytes = 64 * 1024;

/**
 * Writes a session from facts recorded elsewhere. The file grows under a temporary name and is
 * renamed once it is complete and synced, so a session is imported completely or not at all.
 * Memory is bounded by one batch.
 */
export class LogImporter {
  readonly file: string;
  readonly #part: string;
  readonly #fd: number;
  readonly #unlock: () => void;
  /** Lines not yet written. One reused buffer: a buffer per batch would be garbage by the thousand. */
  readonly #batch = Buffer.allocUnsafe(batchBytes);
  #filled = 0;
  #isOpen = true;
  /** How many were appended. */
  entries = 0;

  /** Throws `LogError` when the folder cannot be written or the session already exists. */
  constructor(folder: string, session: string) {
    this.file = join(folder, `${session}.jsonl`);
    this.#part = `${this.file}.part`;
    let unlock = (): void => {};
    try {
      makeFolder(folder);
      unlock = acquireLock(this.file).release;
      if (existsSync(this.file)) throw new LogError(`The session ${this.file} already exists.`);
      rmSync(this.#part, { force: true });
      this.#fd = openSync(this.#part, "wx", 0o600);
    } catch (error) {
      unlock();
      throw notWritten(this.file, error);
    }
    this.#unlock = unlock;
  }

  /** `parent` is an earlier entry of this import; `at` is when it happened. Throws `LogError`. */
  append(fact: Fact, at: string, parent: EntryId | null): EntryId {
    const id: EntryId = `e${this.entries + 1}`;
    const line = formatEntry(entryAt(fact, { id, parent, at }));
    const { entry, problem } = parseLine(line);
    if (entry === null || problem !== undefined) {
      throw new LogError(`An entry for ${this.file} ${problem}; it was not written.`);
    }
    this.entries++;
    this.#put(line);
    return id;
  }

  /**
   * Publishes the session, last changed at `changedMs` since the epoch. Throws `LogError`; nothing
   * is left on disk then.
   */
  finish(changedMs: number): void {
    try {
      this.#flush();
      futimesSync(this.#fd, changedMs / 1000, changedMs / 1000);
      disk.fsync(this.#fd);
      publish(this.#part, this.file);
    } catch (error) {
      throw notWritten(this.file, error);
    } finally {
      this.discard();
    }
  }

  /** Removes what is unfinished and releases the lock. */
  discard(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
    rmSync(this.#part, { force: true });
    this.#unlock();
  }

  #put(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#filled + bytes > batchBytes) this.#flush();
    if (bytes > batchBytes) return this.#write(Buffer.from(line));
    this.#filled += this.#batch.write(line, this.#filled);
  }

  #flush(): void {
    this.#write(this.#batch.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #write(bytes: Uint8Array): void {
    try {
      writeAllSync(this.#fd, bytes);
    } catch (error) {
      throw notWritten(this.file, error);
    }
  }
}

const notWritten = (file: string, error: unknown): LogError =>
  logError(`The session ${file} cannot be written`, error);
