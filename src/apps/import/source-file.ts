import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { Garbage } from "./garbage.ts";
import { parseJson } from "./json.ts";

const chunkBytes = 64 * 1024;

/** Longer lines are skipped unread: no message that could be resumed is that long. */
export const maxLineBytes = 64 * 1024 * 1024;

/** A compressed file that becomes larger is refused. */
const maxUnpackedBytes = 256 * 1024 ** 2;

/** A complete line and its position. */
type Line = { text: string; offset: number; bytes: number };

type LineHandler = {
  /** Return false to stop. */
  line(line: Line): boolean | void;
  tooLong?(bytes: number): void;
};

/** The bytes up to the last newline, and what follows it. */
type FileEnd = { bytes: number; rest: Line | null };

/**
 * A file of lines that another program may be appending to: only what it held when it was opened is
 * read. It is opened read-only, and only one chunk and one line are in memory.
 */
export class SourceFile {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
  readonly #fd: number;
  /** Reused for every line, which saves thousands of allocations. */
  #scratch = Buffer.allocUnsafe(chunkBytes);
  /** Closes what else was opened to read the same file. */
  onClose: () => void = () => undefined;
  readonly #garbage = new Garbage();

  /** Throws when it is not a regular file or cannot be opened. */
  constructor(path: string) {
    // Opening a pipe would block until something is written to it.
    if (!statSync(path).isFile()) throw new Error("it is not a regular file");
    this.path = path;
    this.#fd = path.endsWith(".zst") ? openUnpacked(path) : openSync(path, "r");
    this.bytes = fstatSync(this.#fd).size;
    this.changedMs = Math.trunc(statSync(path).mtimeMs);
  }

  eachLine(take: LineHandler): FileEnd {
    const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(this.bytes, 1)));
    let held: Buffer[] = [];
    let heldBytes = 0;
    let lineStart = 0;
    for (let at = 0; at < this.bytes;) {
      const read = readSync(this.#fd, chunk, 0, Math.min(chunk.length, this.bytes - at), at);
      // The file was truncated meanwhile.
      if (read === 0) break;
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1 && end < read; end = chunk.indexOf(10, from)) {
        const bytes = at + end - lineStart;
        this.#garbage.after(bytes);
        if (bytes > maxLineBytes) take.tooLong?.(bytes);
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
      if (heldBytes > maxLineBytes) held = [];
      else if (from < read) held.push(Buffer.from(chunk.subarray(from, read)));
      at += read;
    }
    if (heldBytes > maxLineBytes) take.tooLong?.(heldBytes);
    const rest = Buffer.concat(heldBytes > maxLineBytes ? [] : held);
    const line = { text: textOf(rest), offset: lineStart, bytes: rest.length };
    return { bytes: lineStart, rest: rest.length === 0 ? null : line };
  }

  /** Reads a line again; it is shorter if the file was truncated meanwhile. */
  lineAt({ offset, bytes }: Pick<Line, "offset" | "bytes">): string {
    this.#garbage.after(bytes);
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

  /** The whole file as one JSON value; undefined when it is not JSON, or too large. */
  json(): unknown {
    if (this.bytes > maxLineBytes) return undefined;
    return parseJson(this.lineAt({ offset: 0, bytes: this.bytes }));
  }

  [Symbol.dispose](): void {
    this.onClose();
    closeSync(this.#fd);
  }
}

/**
 * A compressed file cannot be read at an offset: its content goes to a file that is deleted once it
 * is open.
 */
function openUnpacked(path: string): number {
  if (statSync(path).size > maxUnpackedBytes) throw new Error(tooLarge);
  const folder = mkdtempSync(join(tmpdir(), "mini-claude-"));
  try {
    const content = unpacked(readFileSync(path));
    const file = join(folder, "lines");
    writeFileSync(file, content, { mode: 0o600 });
    return openSync(file, "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tooLarge = "it is larger than 256 MB unpacked";

function unpacked(bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    if (error instanceof RangeError) throw new Error(tooLarge);
    throw error;
  }
}

const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "");
