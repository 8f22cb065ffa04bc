import type { FileHandle } from "node:fs/promises";

/** Reads parts of a large file of lines: its head, its tail, or the last line with a word. */

const firstBytes = 128 * 1024;
const maxBytes = 8 * 1024 * 1024;

/** Complete lines from the start, until `isEnough` or 8 MB. */
export async function headLines(
  handle: FileHandle,
  size: number,
  isEnough: (lines: string[]) => boolean,
): Promise<string[]> {
  for (let bytes = firstBytes; ; bytes *= 4) {
    const lines = (await read(handle, 0, Math.min(bytes, size))).toString("utf8").split("\n");
    if (bytes >= size || bytes >= maxBytes) return lines;
    lines.pop();
    if (isEnough(lines)) return lines;
  }
}

/** Lines from the end, at least two; the last one may still be being written. */
export async function tailLines(handle: FileHandle, size: number): Promise<string[]> {
  for (let bytes = firstBytes; ; bytes *= 4) {
    const from = Math.max(0, size - bytes);
    const lines = (await read(handle, from, size - from)).toString("utf8").split("\n");
    if (from === 0) return lines;
    lines.shift();
    if (lines.filter((line) => line !== "").length > 1 || bytes >= maxBytes) return lines;
  }
}

const stepBytes = 1024 * 1024;

/**
 * Tests the lines that contain `needle`, the last one first, and returns the first result that is
 * not null. Reads about `limit` bytes at most. Scanning takes about a millisecond per megabyte;
 * parsing would take many times that.
 */
export async function lastLineWith<T>(
  handle: FileHandle,
  size: number,
  needle: string,
  test: (line: string) => T | null,
  limit: number,
): Promise<T | null> {
  let after = Buffer.alloc(0);
  for (let to = size; to > 0 && size - to < limit;) {
    const from = Math.max(0, to - stepBytes);
    const bytes = Buffer.concat([await read(handle, from, to - from), after]);
    // Bytes before the first newline belong to a line that begins in the piece before this one.
    const start = from === 0 ? 0 : bytes.indexOf(10) + 1;
    if (start > 0 || from === 0) {
      for (let at = bytes.lastIndexOf(needle); at >= start; at = before(bytes, at, needle)) {
        const begin = bytes.lastIndexOf(10, at) + 1;
        const end = bytes.indexOf(10, at);
        const found = test(bytes.toString("utf8", begin, end === -1 ? bytes.length : end));
        if (found !== null) return found;
      }
      after = bytes.subarray(0, start);
    } else after = bytes;
    to = from;
  }
  return null;
}

const before = (bytes: Buffer, at: number, needle: string): number =>
  at === 0 ? -1 : bytes.lastIndexOf(needle, at - 1);

async function read(handle: FileHandle, from: number, bytes: number): Promise<Buffer<ArrayBuffer>> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, from);
  return buffer.subarray(0, bytesRead);
}
