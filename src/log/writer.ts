import { closeSync, fsyncSync, openSync } from "node:fs";
import { appendFile, mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { LogError, reasonOf } from "./log-error.ts";
import type { LogEnd } from "./read.ts";

type Waiting = { line: string; done(): void; failed(error: LogError): void };

/**
 * Puts lines at the end of a file, durably. Group commit: lines that arrive while one sync is under
 * way share the next one. After a failure nobody knows what is on the disk, so that nothing more is
 * acknowledged.
 */
export class LineWriter {
  readonly #file: string;
  readonly #end: LogEnd;
  #handle: FileHandle | null = null;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #broken: LogError | null = null;

  constructor(file: string, end: LogEnd) {
    this.#file = file;
    this.#end = end;
  }

  /** Resolves when the line, which ends in a newline, is on the disk. Throws `LogError`. */
  write(line: string): Promise<void> {
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  /** Writes what waits, then lets go of the file. */
  async close(): Promise<void> {
    await this.#flushing;
    this.#broken ??= new LogError(`The session's log ${this.#file} is closed.`);
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #flush(): Promise<void> {
    // What is appended in one go, such as the results of parallel calls, shares the first sync.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        this.#handle ??= await this.#open();
        await writeAll(this.#handle, Buffer.from(batch.map(({ line }) => line).join("")));
        await this.#handle.datasync();
      } catch (error) {
        this.#fail([...batch, ...this.#waiting], error);
        break;
      }
      for (const { done } of batch) done();
    }
    this.#flushing = null;
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const handle = await open(this.#file, "a", 0o600);
    try {
      const info = await handle.stat();
      if (info.isFile() && (info.mode & 0o077) !== 0) await handle.chmod(0o600);
      await this.#repair(handle);
      syncFolder(dirname(this.#file));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** A torn line is set aside, not thrown away: it may tell what was going on. */
  async #repair(handle: FileHandle): Promise<void> {
    const { torn, bytes, open: lacksNewline } = this.#end;
    if (torn) {
      await appendFile(`${this.#file}.torn`, Buffer.concat([torn, Buffer.from("\n")]), {
        mode: 0o600,
      });
      await handle.truncate(bytes);
    }
    if (lacksNewline) await writeAll(handle, Buffer.from("\n"));
  }

  #fail(waiting: readonly Waiting[], cause: unknown): void {
    this.#broken = new LogError(
      `The session's log ${this.#file} cannot be written: ${reasonOf(cause)}. What was said before is safe; put that right, then resume the session.`,
      { cause },
    );
    this.#waiting = [];
    for (const { failed } of waiting) failed(this.#broken);
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, null);
    if (bytesWritten === 0) throw new Error("the disk took no more bytes");
    at += bytesWritten;
  }
}

/** Makes a new file's name survive a power loss. Where a folder cannot be synced, only that is lost. */
export function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return;
  }
}
