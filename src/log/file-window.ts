import { closeSync, openSync, readSync } from "node:fs";
import type { Place } from "./entry-table.ts";

const blockBytes = 64 * 1024;
/** A larger buffer, for a very long line, is not used again. */
const maxKept = 16 * blockBytes;

/**
 * Reads pieces of a file that is only appended to. The blocks around the last piece stay in memory:
 * the next piece is mostly beside it, before or after.
 */
export class FileWindow {
  readonly #file: string;
  #fd: number | null = null;
  #buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Keeps the file open until `close`, so that it can be read even if its name is removed. */
  hold(): void {
    this.#fd ??= openSync(this.#file, "r");
  }

  /** Pieces can still be read; the file is opened for each. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** As much of the piece as the file has. Throws what the file system throws. */
  text(place: Place): string {
    return this.bytes(place).toString("utf8");
  }

  /** The same as bytes, which are valid until the next call. */
  bytes({ at, bytes }: Place): Buffer {
    const end = at + bytes;
    if (at < this.#from || end > this.#to) this.#move(at, end);
    return this.#buffer.subarray(at - this.#from, Math.min(end, this.#to) - this.#from);
  }

  #move(at: number, end: number): void {
    const from = at - (at % blockBytes);
    const size = Math.ceil((end - from) / blockBytes) * blockBytes;
    if (this.#buffer.length < size || this.#buffer.length > maxKept)
      this.#buffer = Buffer.alloc(size);
    [this.#from, this.#to] = [from, from];
    const fd = this.#fd ?? openSync(this.#file, "r");
    try {
      while (this.#to < from + size) {
        const read = readSync(fd, this.#buffer, this.#to - from, from + size - this.#to, this.#to);
        if (read === 0) break;
        this.#to += read;
      }
    } finally {
      if (fd !== this.#fd) closeSync(fd);
    }
  }
}
