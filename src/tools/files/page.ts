/** One page of a text with line numbers. Large files are read in pieces. */

import type { FileHandle } from "node:fs/promises";
import { takeStart } from "../../protocol/clip.ts";
import { cleanOutput } from "../shell/clean-output.ts";

export type FilePage = {
  text: string;
  /** Numbers of the lines shown, from 1. `last` < `first` if there are none. */
  first: number;
  last: number;
  /** Lines of the whole file; null if not counted because the file is large. */
  total: number | null;
  whole: boolean;
  empty: boolean;
};

type PageLimits = {
  offset: number;
  limit: number;
  maxBytes: number;
  /** For output of programs: escape sequences and null bytes are cleaned, not refused. */
  cleaned: boolean;
};

const maxLineChars = 2000;
const pieceBytes = 64 * 1024;

/** Null when the file turns out to be binary. */
export async function pageOf(
  source: string | FileHandle,
  limits: PageLimits,
): Promise<FilePage | null> {
  const maker = new PageMaker(limits);
  if (typeof source === "string") {
    let start = 0;
    for (let end = source.indexOf("\n"); end !== -1; end = source.indexOf("\n", start)) {
      maker.addLine(source.slice(start, end));
      start = end + 1;
    }
    if (start < source.length) maker.addLine(source.slice(start));
    return maker.finish(true);
  }
  return pageOfFile(source, maker, limits.cleaned);
}

async function pageOfFile(
  handle: FileHandle,
  maker: PageMaker,
  cleaned: boolean,
): Promise<FilePage | null> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  const decoder = new TextDecoder();
  let line = "";
  for (let at = 0; !maker.full;) {
    const { bytesRead } = await handle.read(piece, 0, pieceBytes, at);
    if (bytesRead === 0) {
      if (line !== "") maker.addLine(line);
      return maker.finish(true);
    }
    at += bytesRead;
    const bytes = piece.subarray(0, bytesRead);
    if (!cleaned && bytes.includes(0)) return null;
    const lines = decoder.decode(bytes, { stream: true }).split("\n");
    // The part of a long line that no page shows is dropped.
    line = takeStart(line, maxLineChars + 1);
    lines[0] = line + (lines[0] ?? "");
    line = lines.pop() ?? "";
    for (const one of lines) maker.addLine(one);
  }
  return maker.finish(false);
}

class PageMaker {
  /** Later lines cannot be on the page. */
  full = false;
  readonly #limits: PageLimits;
  readonly #shown: string[] = [];
  #bytes = 0;
  #lines = 0;
  #cut = false;

  constructor(limits: PageLimits) {
    this.#limits = limits;
  }

  addLine(raw: string): void {
    this.#lines += 1;
    const { offset, limit, maxBytes, cleaned } = this.#limits;
    this.full ||= this.#shown.length >= limit;
    if (this.full || this.#lines < offset) return;
    const shown = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const line = cleaned ? cleanOutput(shown) : shown;
    const long = line.length > maxLineChars;
    const body = long ? `${takeStart(line, maxLineChars)} [line cut here]` : line;
    const text = `${String(this.#lines).padStart(6)}\t${body}`;
    const bytes = Buffer.byteLength(text) + 1;
    this.full = this.#shown.length > 0 && this.#bytes + bytes > maxBytes;
    if (this.full) return;
    this.#cut ||= long;
    this.#bytes += bytes;
    this.#shown.push(text);
  }

  finish(counted: boolean): FilePage {
    const first = this.#limits.offset;
    const last = first + this.#shown.length - 1;
    const whole = counted && first === 1 && last === this.#lines && !this.#cut;
    return {
      text: this.#shown.join("\n"),
      first,
      last,
      total: counted ? this.#lines : null,
      whole,
      empty: counted && this.#lines === 0,
    };
  }
}
