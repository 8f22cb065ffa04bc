import { fchmodSync, fstatSync, ftruncateSync, readSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { disk, makeFolder, syncFolder, writeAll } from "../base/durable.ts";
import { LogError, explainError } from "./log-error.ts";
import type { LogEnd } from "./read.ts";

class TakenOverError extends LogError {}

/** Says that another process has opened the log. */
export const takenOver = (file: string): string =>
  `Another mini-claude opened the session ${file} while this one was suspended. Close this one.`;

type PendingLine = { line: string; resolve(): void; reject(error: LogError): void };

/**
 * Appends lines to a file, durably. Group commit: lines that arrive during one sync share the next.
 * After a failure the state of the file is unknown: the next write first truncates it to the
 * acknowledged lines, if only remains of the failed write follow them.
 */
export class LineWriter {
  readonly #file: string;
  readonly #onFailure: () => void;
  #end: LogEnd;
  /** Bytes that failed writes may have left after the end, in full or in part; null: none has failed. */
  #remains: readonly Uint8Array[] | null = null;
  #handle: FileHandle | null = null;
  #pending: PendingLine[] = [];
  #flushing: Promise<void> | null = null;
  #closed = false;

  /** `onFailure` is called before the failed writes reject. */
  constructor(file: string, end: LogEnd, onFailure: () => void) {
    this.#file = file;
    this.#end = end;
    this.#onFailure = onFailure;
  }

  /** Resolves when the line, which ends in a newline, is on disk. Throws `LogError`. */
  write(line: string): Promise<void> {
    if (this.#closed)
      return Promise.reject(new LogError(`The session log ${this.#file} is closed.`));
    return new Promise((resolve, reject) => {
      this.#pending.push({ line, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Writes the pending lines, then closes the file. */
  async close(): Promise<void> {
    // A line that comes while this waits opens the file again.
    while (this.#flushing) await this.#flushing;
    this.#closed = true;
    await this.#release();
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #flush(): Promise<void> {
    // Lines written in the same tick, such as the results of parallel calls, share the first sync.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      const lines = Buffer.from(batch.map(({ line }) => line).join(""));
      try {
        this.#handle ??= await this.#open();
        this.#checkLength(this.#handle, this.#end.bytes);
        await writeAll(this.#handle.fd, lines);
        await disk.fdatasync(this.#handle.fd);
        this.#end.bytes += lines.length;
      } catch (error) {
        const remains = this.#handle ? [lines] : (this.#remains ?? this.#remainsOfOpening());
        await this.#release().catch(() => undefined);
        this.#fail([...batch, ...this.#pending], remains, error);
        break;
      }
      for (const { resolve } of batch) resolve();
    }
    this.#flushing = null;
  }

  async #open(): Promise<FileHandle> {
    makeFolder(dirname(this.#file));
    const handle = await open(this.#file, "a+", 0o600);
    try {
      const { bytes, torn } = this.#end;
      if (this.#remains) this.#checkRemains(handle, this.#remains);
      else this.#checkLength(handle, bytes + (torn?.length ?? 0));
      fchmodSync(handle.fd, 0o600);
      await this.#repair(handle);
      syncFolder(dirname(this.#file));
      this.#end = { bytes: fstatSync(handle.fd).size, torn: null, lacksNewline: false };
      this.#remains = null;
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * While this machine is suspended, a process on another one may take the log over, write to it and
   * close it, which leaves no lock. What it wrote has the ids that we would give now.
   */
  #checkLength(handle: FileHandle, bytes: number): void {
    if (fstatSync(handle.fd).size !== bytes) throw new TakenOverError(takenOver(this.#file));
  }

  /** Checks the file after failed writes, of which any part may have reached the disk. */
  #checkRemains(handle: FileHandle, remains: readonly Uint8Array[]): void {
    const { size } = fstatSync(handle.fd);
    const { bytes } = this.#end;
    const most = Math.max(0, ...remains.map(({ length }) => length));
    const tail = new Uint8Array(Math.max(0, Math.min(size - bytes, most + 1)));
    readSync(handle.fd, tail, 0, tail.length, bytes);
    const isOurs = remains.some(
      (part) => Buffer.compare(part.subarray(0, tail.length), tail) === 0,
    );
    if (size < bytes || !isOurs) throw new TakenOverError(takenOver(this.#file));
  }

  /** A torn line is moved aside, not deleted: it may show what happened before the crash. */
  async #repair(handle: FileHandle): Promise<void> {
    const { torn, bytes, lacksNewline } = this.#end;
    if (torn) await appendPrivately(`${this.#file}.torn`, Buffer.concat([torn, Buffer.from("\n")]));
    if (torn || this.#remains) ftruncateSync(handle.fd, bytes);
    if (lacksNewline) await writeAll(handle.fd, Buffer.from("\n"));
  }

  #fail(lines: readonly PendingLine[], remains: readonly Uint8Array[], cause: unknown): void {
    const isTakenOver = cause instanceof TakenOverError;
    const error = isTakenOver
      ? cause
      : new LogError(
          `The session log ${this.#file} cannot be written: ${explainError(cause)}. Everything before this is saved; fix the problem, then try again.`,
          { cause },
        );
    // Another process's lines are not cut off.
    if (!isTakenOver) this.#remains = remains;
    this.#pending = [];
    this.#onFailure();
    for (const { reject } of lines) reject(error);
  }

  /** Bytes that a failed opening may have left: the torn line, or the missing newline. */
  #remainsOfOpening(): Uint8Array[] {
    const { torn, lacksNewline } = this.#end;
    return [torn ?? new Uint8Array(), ...(lacksNewline ? [Buffer.from("\n")] : [])];
  }
}

async function appendPrivately(file: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(file, "a", 0o600);
  await writeAll(handle.fd, bytes);
  await disk.fdatasync(handle.fd);
}
