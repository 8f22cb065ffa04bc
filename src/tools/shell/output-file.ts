/** Reads what a command wrote to its file: pieces only, however large it is. */

import { open, type FileHandle } from "node:fs/promises";

/** The end of the file, at most `bytes`, beginning with a whole character. */
export async function readTail(
  file: string,
  bytes: number,
): Promise<{ text: string; size: number }> {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat();
    const start = Math.max(0, size - bytes);
    return { text: await textAt(handle, start, size - start), size };
  });
}

/** The beginning of the file, at most `bytes`, ending with a whole character. */
export async function readHead(file: string, bytes: number): Promise<string> {
  return withFile(file, (handle) => textAt(handle, 0, bytes));
}

/** Text from byte `start` on. */
export async function readFrom(file: string, start: number, bytes: number): Promise<string> {
  return withFile(file, (handle) => textAt(handle, start, bytes));
}

/** Counts lines a piece at a time: the file may be larger than memory. */
export async function measure(file: string): Promise<{ bytes: number; lines: number }> {
  return withFile(file, async (handle) => {
    const piece = Buffer.allocUnsafe(256 * 1024);
    let bytes = 0;
    let breaks = 0;
    let last = 10;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
      if (bytesRead === 0) return { bytes, lines: last === 10 ? breaks : breaks + 1 };
      for (let at = 0; at < bytesRead; at += 1) if (piece[at] === 10) breaks += 1;
      last = piece[bytesRead - 1] ?? 10;
      bytes += bytesRead;
    }
  });
}

async function textAt(handle: FileHandle, start: number, bytes: number): Promise<string> {
  const piece = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await handle.read(piece, 0, bytes, start);
  let from = 0;
  // A cut inside a character leaves continuation bytes at the start.
  if (start > 0) while (from < 3 && ((piece[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const read = piece.subarray(from, bytesRead);
  return new TextDecoder().decode(read, { stream: bytesRead === bytes });
}

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, "r");
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}
