import type { FileHandle } from "node:fs/promises";
import { parseLine } from "./parse.ts";
import type { CacheMark, IndexStep } from "./search-cache.ts";
import { indexedText, piecesOf, wholeText } from "./searchable.ts";

const readBytes = 256 * 1024;

/** The next pieces to index after `mark`, from a few lines; empty at the end of the log. */
export async function stepsFrom(
  handle: FileHandle,
  mark: CacheMark,
  resultsFolder: string | null,
): Promise<IndexStep[]> {
  const lines = await wholeLines(handle, mark.bytes);
  const steps: IndexStep[] = [];
  let at = mark.bytes;
  let skip = mark.pieces;
  for (const line of lines) {
    const bytes = line.length + 1;
    const { entry } = parseLine(line.toString("utf8"));
    const pieces = entry === null ? [] : piecesOf(await wholeText(entry, resultsFolder));
    const after: CacheMark = { bytes: at + bytes, pieces: 0 };
    for (const [piece, text] of pieces.entries()) {
      if (piece < skip) continue;
      const isLast = piece === pieces.length - 1;
      steps.push({
        place: { at, bytes, piece },
        text: indexedText(text),
        next: isLast ? after : { bytes: at, pieces: piece + 1 },
      });
    }
    if (pieces.length === 0)
      steps.push({ place: { at, bytes, piece: 0 }, text: null, next: after });
    at += bytes;
    skip = 0;
  }
  return steps;
}

/** Complete lines, without newlines: at least one, however long, unless the log ends. */
async function wholeLines(handle: FileHandle, from: number): Promise<Buffer[]> {
  for (let size = readBytes; ; size *= 4) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, from);
    const lines: Buffer[] = [];
    let at = 0;
    for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, at)) {
      lines.push(buffer.subarray(at, end));
      at = end + 1;
    }
    if (lines.length > 0 || bytesRead < size) return lines;
  }
}
