import {
  closeSync,
  existsSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { EntryId, Fact } from "../protocol/entry.ts";
import { LogError, reasonOf } from "./log-error.ts";
import { takeLock } from "./lock.ts";
import { formatEntry, parseLine, placed } from "./parse.ts";
import { syncFolder } from "./writer.ts";

const batchBytes = 1024 * 1024;

/**
 * A log that is written in one go, from what happened elsewhere and earlier. It becomes a session
 * whole or not at all: it grows under another name, and gets its own once it is finished and synced.
 * However long it is, no more of it than a batch is held in memory.
 */
export class LogImporter {
  readonly file: string;
  readonly #part: string;
  readonly #fd: number;
  readonly #unlock: () => void;
  /** Lines that wait; one buffer for all of them, since a long log would leave thousands behind. */
  readonly #batch = Buffer.allocUnsafe(batchBytes);
  #filled = 0;
  #entries = 0;
  #open = true;

  private constructor(file: string, part: string, fd: number, unlock: () => void) {
    this.file = file;
    this.#part = part;
    this.#fd = fd;
    this.#unlock = unlock;
  }

  /** Throws `LogError` when the folder cannot be written or there is such a session already. */
  static begin(folder: string, session: string): LogImporter {
    const file = join(folder, `${session}.jsonl`);
    const part = `${file}.part`;
    const failed = (error: unknown): LogError =>
      new LogError(`The session ${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw failed(error);
    }
    const unlock = takeLock(file);
    try {
      if (existsSync(file)) throw new LogError(`There is a session ${file} already.`);
      rmSync(part, { force: true });
      return new LogImporter(file, part, openSync(part, "wx", 0o600), unlock);
    } catch (error) {
      unlock();
      throw error instanceof LogError ? error : failed(error);
    }
  }

  get entries(): number {
    return this.#entries;
  }

  /** `parent` is an entry of this draft; `at` is when it happened. Throws `LogError`. */
  append(fact: Fact, at: string, parent: EntryId | null): EntryId {
    const id: EntryId = `e${this.#entries + 1}`;
    const line = formatEntry(placed(fact, { id, parent, at }));
    const { entry, problem } = parseLine(line);
    if (entry === null || problem !== undefined) {
      throw new LogError(`An entry for ${this.file} ${problem}; it was not written.`);
    }
    this.#entries++;
    this.#put(line);
    return id;
  }

  /** Makes it a session, last changed at `changedMs`. Throws `LogError`; nothing is left then. */
  finish(changedMs: number): void {
    try {
      this.#flush();
      futimesSync(this.#fd, changedMs / 1000, changedMs / 1000);
      fsyncSync(this.#fd);
      renameSync(this.#part, this.file);
      syncFolder(dirname(this.file));
    } catch (error) {
      throw new LogError(`The session ${this.file} cannot be written: ${reasonOf(error)}.`, {
        cause: error,
      });
    } finally {
      this.discard();
    }
  }

  /** Lets go of everything that is not finished. */
  discard(): void {
    if (!this.#open) return;
    this.#open = false;
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
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      throw new LogError(`The session ${this.file} cannot be written: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }
}
