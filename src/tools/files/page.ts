/** A page of a text file, with numbered lines. */

import type { FileHandle } from "node:fs/promises";
import { takeEnd, takeStart } from "../../base/clip.ts";
import { cleanOutput } from "../shell/clean-output.ts";

type FilePage = NonNullable<Awaited<ReturnType<typeof readPage>>>;

type PageLimits = {
  offset: number;
  limit: number;
  maxBytes: number;
  /** For output of programs: escape sequences and null bytes are cleaned, not refused. */
  cleaned: boolean;
  /** The first character shown of each line, from 1. */
  column: number;
};

const manyLinesChars = 2_000;

/** Limit for a line that is read alone. */
const oneLineChars = 20_000;
const pieceBytes = 64 * 1024;

const from = (line: string, column: number): string =>
  column === 1 ? line : takeEnd(line, Math.max(0, line.length - column + 1));

/** Null when the file turns out to be binary. */
export async function readPage(
  source: string | FileHandle,
  { offset, limit, maxBytes, cleaned, column }: PageLimits,
) {
  const shownChars = limit === 1 || column > 1 ? oneLineChars : manyLinesChars;
  const maxLineChars = column - 1 + shownChars;
  const shown: string[] = [];
  let lines = 0;
  let shownBytes = 0;
  let isCut = false;
  /** Later lines cannot be on the page. */
  let isFull = false;

  function addLine(raw: string): void {
    lines += 1;
    isFull ||= shown.length >= limit;
    if (isFull || lines < offset) return;
    const plain = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const line = cleaned ? cleanOutput(plain) : plain;
    const isLong = line.length > maxLineChars;
    const rest = from(takeStart(line, maxLineChars), column);
    const body = isLong
      ? `${rest} [line cut here; column ${column + rest.length} continues it]`
      : rest;
    const text = `${String(lines).padStart(6)}\t${body}`;
    const bytes = Buffer.byteLength(text) + 1;
    isFull = shown.length > 0 && shownBytes + bytes > maxBytes;
    if (isFull) return;
    isCut ||= isLong;
    shownBytes += bytes;
    shown.push(text);
  }

  function page(counted: boolean) {
    const last = offset + shown.length - 1;
    return {
      text: shown.join("\n"),
      /** Numbers of the lines shown, from 1. `last` < `first` if there are none. */
      first: offset,
      last,
      /** Lines of the whole file; null if not counted because the file is large. */
      total: counted ? lines : null,
      whole: counted && offset === 1 && last === lines && !isCut && column === 1,
      empty: counted && lines === 0,
    };
  }

  if (typeof source === "string") {
    let start = 0;
    for (let end = source.indexOf("\n"); end !== -1; end = source.indexOf("\n", start)) {
      addLine(source.slice(start, end));
      start = end + 1;
    }
    if (start < source.length) addLine(source.slice(start));
    return page(true);
  }
  const piece = Buffer.allocUnsafe(pieceBytes);
  const decoder = new TextDecoder();
  let line = "";
  for (let at = 0; !isFull;) {
    const { bytesRead } = await source.read(piece, 0, pieceBytes, at);
    if (bytesRead === 0) {
      if (line !== "") addLine(line);
      return page(true);
    }
    at += bytesRead;
    const bytes = piece.subarray(0, bytesRead);
    if (!cleaned && bytes.includes(0)) return null;
    const found = decoder.decode(bytes, { stream: true }).split("\n");
    // The part of a long line that no page shows is dropped.
    line = takeStart(line, maxLineChars + 1);
    found[0] = line + (found[0] ?? "");
    line = found.pop() ?? "";
    for (const text of found) addLine(text);
  }
  return page(false);
}

/** Where to continue, for the model. */
export function pageNote(page: FilePage, offset: number): string {
  if (page.empty) return "[The file is empty.]";
  if (page.last < page.first) {
    return `[Line ${offset} is past the end: the file has ${page.total} lines.]`;
  }
  if (page.total === page.last) return page.first === 1 ? "" : "\n[End of the file.]";
  const of = page.total === null ? "" : ` of ${page.total}`;
  return `\n[Lines ${page.first}-${page.last}${of}. Continue with offset ${page.last + 1}.]`;
}
