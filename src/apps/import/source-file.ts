import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const chunkBytes = 1024 * 1024;

/** Longer lines hold no message that anybody could go on with; they are passed over, unread. */
export const longestLineBytes = 64 * 1024 * 1024;

/** A whole line, and where it stands. */
export type Line = { text: string; offset: number; bytes: number };

export type LineHandler = {
  /** False: that was enough. */
  line(line: Line): boolean | void;
  tooLong?(bytes: number): void;
};

/** What stands behind the last newline, and the bytes before it. */
export type FileEnd = { bytes: number; rest: Line | null };

/**
 * A file of lines that somebody else may be writing: what it held when it was opened is what it
 * holds. It is opened for reading only. No more of it is in memory than a chunk and one line.
 */
export class SourceFile {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
  readonly #fd: number;
  /** For one line at a time: a buffer a line would leave thousands behind. */
  #scratch = Buffer.allocUnsafe(chunkBytes);

  /** Throws an error of the file system, or one in words when it is no file. */
  constructor(path: string) {
    // Opening a pipe would wait for somebody to write to it.
    if (!statSync(path).isFile()) throw new Error("it is no file");
    this.path = path;
    this.#fd = openSync(path, "r");
    const { size, mtimeMs } = fstatSync(this.#fd);
    this.bytes = size;
    this.changedMs = Math.trunc(mtimeMs);
  }

  eachLine(take: LineHandler): FileEnd {
    const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(this.bytes, 1)));
    let held: Buffer[] = [];
    let heldBytes = 0;
    let lineStart = 0;
    for (let at = 0; at < this.bytes;) {
      const read = readSync(this.#fd, chunk, 0, Math.min(chunk.length, this.bytes - at), at);
      // It was cut short meanwhile.
      if (read === 0) break;
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1 && end < read; end = chunk.indexOf(10, from)) {
        const bytes = at + end - lineStart;
        if (bytes > longestLineBytes) take.tooLong?.(bytes);
        else {
          const piece = chunk.subarray(from, end);
          const whole = held.length === 0 ? piece : Buffer.concat([...held, piece]);
          const line = { text: textOf(whole), offset: lineStart, bytes };
          if (take.line(line) === false) return { bytes: lineStart, rest: null };
        }
        held = [];
        heldBytes = 0;
        from = end + 1;
        lineStart = at + from;
      }
      heldBytes += read - from;
      if (heldBytes > longestLineBytes) held = [];
      else if (from < read) held.push(Buffer.from(chunk.subarray(from, read)));
      at += read;
    }
    if (heldBytes > longestLineBytes) take.tooLong?.(heldBytes);
    const rest = Buffer.concat(heldBytes > longestLineBytes ? [] : held);
    const line = { text: textOf(rest), offset: lineStart, bytes: rest.length };
    return { bytes: lineStart, rest: rest.length === 0 ? null : line };
  }

  /** A line again, by its place; shorter than it was when the file was cut short meanwhile. */
  lineAt({ offset, bytes }: Pick<Line, "offset" | "bytes">): string {
    if (bytes > this.#scratch.length) this.#scratch = Buffer.allocUnsafe(bytes * 2);
    const buffer = this.#scratch;
    let read = 0;
    while (read < bytes) {
      const more = readSync(this.#fd, buffer, read, bytes - read, offset + read);
      if (more === 0) break;
      read += more;
    }
    return textOf(buffer.subarray(0, read));
  }

  close(): void {
    closeSync(this.#fd);
  }
}

const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "");
