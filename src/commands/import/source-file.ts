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
import { edenGC, gcAndSweep } from "bun:jsc";
import { parseJson } from "./json.ts";
import type { Skipped } from "./skipped.ts";

const chunkBytes = 64 * 1024;

/** Longer lines are skipped unread: no message that could be resumed is that long. */
export const maxLineBytes = 64 * 1024 * 1024;

/** A compressed file that becomes larger is refused. */
const maxUnpackedBytes = 256 * 1024 ** 2;

/** Where a line is; its text is read again when it is converted. */
export type LinePlace = { offset: number; bytes: number };

/** `text` is null when the line is too long; `isWhole`: a newline follows. */
type Line = LinePlace & { text: string | null; isWhole: boolean };

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

  /** The last one may be incomplete. */
  *lines(): Generator<Line, void> {
    const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(this.bytes, 1)));
    let held: Buffer[] = [];
    let lineStart = 0;
    let at = 0;
    for (let read = 0; at < this.bytes; at += read) {
      read = readSync(this.#fd, chunk, 0, Math.min(chunk.length, this.bytes - at), at);
      // The file was truncated meanwhile.
      if (read === 0) break;
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1 && end < read; end = chunk.indexOf(10, from)) {
        yield this.#line([...held, chunk.subarray(from, end)], lineStart, at + end, true);
        held = [];
        from = end + 1;
        lineStart = at + from;
      }
      if (at + read - lineStart > maxLineBytes) held = [];
      else if (from < read) held.push(Buffer.from(chunk.subarray(from, read)));
    }
    if (at > lineStart) yield this.#line(held, lineStart, at, false);
  }

  #line(pieces: readonly Buffer[], offset: number, end: number, isWhole: boolean): Line {
    const bytes = end - offset;
    this.#garbage.after(bytes);
    const [first, ...others] = pieces;
    const whole = first && others.length === 0 ? first : Buffer.concat(pieces);
    return { text: bytes > maxLineBytes ? null : textOf(whole), offset, bytes, isWhole };
  }

  /**
   * Passes on every line that is JSON, including a last one without a newline, and counts the others.
   * Returns the bytes up to the end of the last complete line.
   */
  eachJson(skipped: Skipped | null, take: (json: unknown, place: LinePlace) => void): number {
    let bytes = 0;
    for (const line of this.lines()) {
      const { text, isWhole } = line;
      const isEmpty = text?.trim() === "";
      const json = text === null || isEmpty ? undefined : parseJson(text);
      if (isWhole || json !== undefined) bytes = line.offset + line.bytes + Number(isWhole);
      if (json !== undefined) take(json, line);
      else if (text === null) skipped?.add("lines over 64 MB");
      else if (!isEmpty)
        skipped?.add(isWhole ? "lines that are not JSON" : "an incomplete last line");
    }
    return bytes;
  }

  /** Reads a line again; it is shorter if the file was truncated meanwhile. */
  lineAt({ offset, bytes }: LinePlace): string {
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

/** Bytes of a file; converting them leaves about 3 MB of young garbage. */
const youngBytes = 50_000;
/**
 * Bytes of a file after which old garbage is collected too, and swept at once: for a file of 200 MB
 * this saves 4 % of its size in memory.
 */
const oldBytes = 8 * 1024 * 1024;

/**
 * Collects the garbage of a loop that reads a long file. Left to itself, the engine waits until there is
 * more garbage than data, and gives none of that memory back while the loop runs. Collecting what is
 * young costs nearly nothing.
 */
class Garbage {
  #young = 0;
  #old = 0;

  /** Call after reading `bytes` more of the file, when nothing before them is needed any longer. */
  after(bytes: number): void {
    this.#young += bytes;
    this.#old += bytes;
    if (this.#young < youngBytes) return;
    this.#young = 0;
    if (this.#old < oldBytes) return void edenGC();
    this.#old = 0;
    gcAndSweep();
  }
}
