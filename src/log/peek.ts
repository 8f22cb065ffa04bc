import type { FileHandle } from "node:fs/promises";

/** Looks into a large file of lines without reading it: its head, its tail, or a word in it. */

const firstBytes = 128 * 1024;
const mostBytes = 8 * 1024 * 1024;

/** Whole lines from the start, so many that `isEnough` says yes, or some megabytes of them. */
export async function headLines(
  handle: FileHandle,
  size: number,
  isEnough: (lines: string[]) => boolean,
): Promise<string[]> {
  for (let bytes = firstBytes; ; bytes *= 4) {
    const lines = (await read(handle, 0, Math.min(bytes, size))).toString("utf8").split("\n");
    if (bytes >= size || bytes >= mostBytes) return lines;
    lines.pop();
    if (isEnough(lines)) return lines;
  }
}

/** Whole lines from the end. The last may be torn. */
export async function tailLines(handle: FileHandle, size: number): Promise<string[]> {
  for (let bytes = firstBytes; ; bytes *= 4) {
    const from = Math.max(0, size - bytes);
    const lines = (await read(handle, from, size - from)).toString("utf8").split("\n");
    if (from === 0) return lines;
    lines.shift();
    if (lines.filter((line) => line !== "").length > 1 || bytes >= mostBytes) return lines;
  }
}

const stepBytes = 1024 * 1024;

/**
 * The last line that holds `needle` and pleases `test`, searched backwards through at most `most`
 * bytes: scanning costs about a millisecond per megabyte, parsing would cost many times that.
 */
export async function lastLineWith<T>(
  handle: FileHandle,
  size: number,
  needle: string,
  test: (line: string) => T | null,
  most: number,
): Promise<T | null> {
  let after = Buffer.alloc(0);
  for (let to = size; to > 0 && size - to < most;) {
    const from = Math.max(0, to - stepBytes);
    const bytes = Buffer.concat([await read(handle, from, to - from), after]);
    // What stands before the first newline belongs to a line that begins further up.
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
