/** Reads the output file of a command in pieces, however large it is. */

import { open, type FileHandle } from "node:fs/promises";

/** The beginning of the file, at most `bytes`, ending with a whole character. */
export async function readHead(file: string, bytes: number): Promise<string> {
  return withFile(file, async (handle) => {
    const piece = Buffer.allocUnsafe(bytes);
    const { bytesRead } = await handle.read(piece, 0, bytes, 0);
    return new TextDecoder().decode(piece.subarray(0, bytesRead), { stream: bytesRead === bytes });
  });
}

/**
 * The output after byte `start`, at most the last `most` bytes of it: those of the file from
 * `from` up to `to`. A character that is not completely written is left for the next call.
 */
export async function readNew(file: string, start: number, most: number) {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat();
    const from = Math.max(start, size - most);
    const piece = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(piece, 0, piece.length, from);
    const bytes = piece.subarray(from > start ? brokenStart(piece) : 0, bytesRead);
    const whole = bytes.subarray(0, bytes.length - brokenEnd(bytes));
    const to = from + bytesRead - (bytes.length - whole.length);
    return { text: new TextDecoder().decode(whole), from, to, size };
  });
}

const pieceBytes = 256 * 1024;

/** Counts lines a piece at a time: the file may be larger than memory. */
export async function measure(file: string): Promise<{ bytes: number; lines: number }> {
  return withFile(file, async (handle) => {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let bytes = 0;
    let breaks = 0;
    let last = 10;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
      if (bytesRead === 0) return { bytes, lines: last === 10 ? breaks : breaks + 1 };
      const read = piece.subarray(0, bytesRead);
      for (let at = read.indexOf(10); at >= 0; at = read.indexOf(10, at + 1)) breaks += 1;
      last = piece[bytesRead - 1] ?? 10;
      bytes += bytesRead;
    }
  });
}

/** Bytes at the start that belong to a character cut in two. */
function brokenStart(bytes: Uint8Array): number {
  let from = 0;
  while (from < 3 && isContinuation(bytes[from])) from += 1;
  return from;
}

/** Bytes at the end that begin a character without finishing it. */
function brokenEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  await using handle = await open(file, "r");
  return await use(handle);
}
