/** Texts of any size, read in pages of lines. */

import { open } from "node:fs/promises";
import { blockText } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";

/** Bytes between two indexed line starts. */
const stride = 64 * 1024;

/**
 * Opens a text file of any size for reading by lines. One pass indexes a line start per stride, so
 * a page far down takes one short read. Throws when the file cannot be opened.
 */
export async function openPages(path: string) {
  const marks: { line: number; at: number }[] = [{ line: 0, at: 0 }];
  await using handle = await open(path);
  let bytes = 0;
  let lines = 0;
  let endsInNewline = true;
  const buffer = Buffer.alloc(stride);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, stride, bytes);
    if (bytesRead === 0) break;
    let last = -1;
    for (let i = buffer.indexOf(10); i !== -1 && i < bytesRead; i = buffer.indexOf(10, i + 1)) {
      lines++;
      last = i;
    }
    if (last !== -1) marks.push({ line: lines, at: bytes + last + 1 });
    endsInNewline = buffer[bytesRead - 1] === 10;
    bytes += bytesRead;
  }
  const total = endsInNewline ? lines : lines + 1;
  return {
    lines: total,
    bytes,
    read: (from: number, to: number) => readLines(path, marks, from, Math.min(to, total)),
  };
}

async function readLines(
  path: string,
  marks: readonly { line: number; at: number }[],
  from: number,
  to: number,
): Promise<string[]> {
  if (from >= to) return [];
  const start = marks.findLast((mark) => mark.line <= from) ?? { line: 0, at: 0 };
  const end = marks.find((mark) => mark.line >= to);
  const text = await Bun.file(path).slice(start.at, end?.at).text();
  return text.split("\n").slice(from - start.line, to - start.line);
}

/** Pages of a text in memory. */
export function toPages(text: string) {
  const all = text.split("\n");
  return {
    lines: all.length,
    bytes: Buffer.byteLength(text),
    read: async (from: number, to: number) => all.slice(from, to),
  };
}

/** An entry's full text in pages; a result kept in a file is read from there. */
export async function openOriginal(entry: Entry): ReturnType<typeof openPages> {
  const file = isOutcome(entry) ? entry.file : undefined;
  return file === undefined ? toPages(toText(entry)) : openPages(file);
}

/** An entry as text, including tool inputs. */
export function toText(entry: Entry): string {
  switch (entry.type) {
    case "assistant":
      return entry.content
        .flatMap((block) => {
          if (block.type === "text") return [block.text];
          return block.type === "tool_use"
            ? [`${block.name} ${JSON.stringify(block.input, null, 2)}`]
            : [];
        })
        .join("\n");
    case "user":
    case "context":
    case "result":
    case "step":
      return blockText(entry.content);
    default:
      return JSON.stringify(entry, null, 2);
  }
}
