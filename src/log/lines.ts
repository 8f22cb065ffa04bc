import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const chunkBytes = 4 * 1024 * 1024;

/**
 * Calls `take` with every complete line and its size in bytes, newline included; the buffer is used
 * again. Returns the bytes after the last newline. Memory: one chunk plus the longest line.
 */
export function eachLine(file: string, take: (line: Buffer, bytes: number) => void): Buffer {
  const fd = openSync(file, "r");
  try {
    const size = fstatSync(fd).size;
    const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 1)));
    let rest: Buffer[] = [];
    for (let at = 0; ;) {
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += read;
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1 && end < read; end = chunk.indexOf(10, from)) {
        const piece = chunk.subarray(from, end);
        const line = rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
        take(line, line.length + 1);
        rest = [];
        from = end + 1;
      }
      if (from < read) rest.push(Buffer.from(chunk.subarray(from, read)));
    }
    return Buffer.concat(rest);
  } finally {
    closeSync(fd);
  }
}
