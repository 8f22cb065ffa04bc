/**
 * Draws frames: writes only what differs from the previous one, and scrolls where text moved. Ink
 * lays out, parses and compares the whole screen for every frame, which takes more time than all
 * else that a key or a streamed token causes. While the terminal lags, frames are dropped, never keys.
 */

import { fit, stylesAfter } from "../painted-text.ts";

export type PaintableFrame = {
  /** One per row of the screen. */
  rows: readonly string[];
  scrolling: number;
  /** null: hidden. */
  cursor: { x: number; y: number } | null;
};

const syncOn = "\x1b[?2026h";
const syncOff = "\x1b[?2026l";
const show = "\x1b[?25h";
const hide = "\x1b[?25l";
/** Some terminals put a screen that is cleared as a whole into the scrollback. */
const clear = "\x1b[H\x1b[J";

/** Marks at the start of a row would join a character of another one. */
// eslint-disable-next-line no-control-regex -- styles are in the text
const leadingMarks = /^(?<styles>(?:\x1b\[[\d;]*m)*)\p{M}+/u;

/** Device status request (DSR), answered with `CSI 0 n`: Bun never sets `writableNeedDrain` on a terminal. */
const statusRequest = "\x1b[5n";

/** Bytes between status requests, and unanswered bytes from which frames are dropped. */
const pieceBytes = 384;

/** After this time the answer is lost, or the terminal does not know the request. */
const silentMs = 1_000;

export class Painter {
  readonly #write: (output: string) => void;
  readonly #resume: () => void;
  /** Bytes since the last status request. */
  #bytes = 0;
  #request: PromiseWithResolvers<void> | null = null;
  #hasAnswered = false;
  #isSkipped = false;
  /** The rows on the screen; null: unknown. */
  #rows: readonly string[] | null = null;
  #cursor = "";

  /** `resume` draws after skipped frames. */
  constructor(write: (output: string) => void, resume: () => void) {
    this.#write = write;
    this.#resume = resume;
  }

  /** Whether to skip this frame, because the terminal lags. */
  skips(): boolean {
    const isFull = this.#request !== null && this.#bytes >= pieceBytes;
    return (this.#isSkipped = this.#hasAnswered && isFull);
  }

  /** Resolves when no answer is pending, which another program would read as keys. */
  async quiet(): Promise<void> {
    await this.#request?.promise;
  }

  answered(): void {
    this.#hasAnswered = true;
    this.#settle();
  }

  #settle(): void {
    this.#request?.resolve();
    this.#request = null;
    if (this.#isSkipped) this.#resume();
  }

  #ask(): void {
    this.#bytes = 0;
    this.#request = Promise.withResolvers();
    this.#write(statusRequest);
    const timer = setTimeout(() => this.#settle(), silentMs);
    void this.#request.promise.then(() => clearTimeout(timer));
  }

  /** Something else was drawn, or the size changed: the next frame is written in full. */
  forget(): void {
    this.#rows = null;
  }

  paint({ rows, scrolling, cursor }: PaintableFrame, columns: number): void {
    const known = this.#rows?.length === rows.length ? this.#rows : null;
    const shown = known ?? rows.map(() => "");
    const next = rows.map((row, index) =>
      shown[index] === row ? row : fit(row.replace(leadingMarks, "$<styles>"), columns),
    );
    const top = shown.slice(0, scrolling);
    const shift = scrolledBy(top, next.slice(0, scrolling));
    const moved = shift === 0 ? shown : [...scroll(top, shift), ...shown.slice(scrolling)];
    const changes: string[] = [];
    /** Where the last change leaves the terminal's cursor; empty: unknown. */
    let end = "";
    for (const [index, row] of next.entries()) {
      const before = moved[index] ?? "";
      if (before === row) continue;
      const change = rowChange(before, row, index);
      changes.push(change.codes);
      end = change.end;
    }
    const place = cursor === null ? "" : moveTo(cursor.y, cursor.x);
    const isSwitched = known === null || (place === "") !== (this.#cursor === "");
    if (changes.length === 0 && shift === 0 && !isSwitched && place === this.#cursor) return;
    const output = [
      known === null ? clear : "",
      shift === 0 ? "" : scrollCodes(scrolling, shift),
      ...changes,
      place === end ? "" : place,
      isSwitched ? (cursor === null ? hide : show) : "",
    ].join("");
    // A single row is drawn in one piece anyway.
    const isOne = changes.length <= 1 && shift === 0 && known !== null;
    this.#write(isOne ? output : syncOn + output + syncOff);
    this.#bytes += output.length;
    if (!this.#request && this.#bytes >= pieceBytes) this.#ask();
    this.#rows = next;
    this.#cursor = place;
  }
}

const scrollBytes = 20;

/** Fewer rows change where a line grows; where text moved, nearly all do. */
const fewestScrolled = 3;

/** By how many rows text moved up, if scrolling saves bytes; negative: down; 0: not. */
function scrolledBy(before: readonly string[], now: readonly string[]): number {
  const changed = now.reduce((count, text, row) => (text === before[row] ? count : count + 1), 0);
  if (changed < fewestScrolled) return 0;
  const rowsByText = Map.groupBy(before.keys(), (row) => before[row] ?? "");
  /** By shift: the length of the rows that would not have to be written again. */
  const kept = new Map<number, number>();
  for (const [row, text] of now.entries())
    for (const was of rowsByText.get(text) ?? [])
      kept.set(was - row, (kept.get(was - row) ?? 0) + text.length);
  let best = { shift: 0, bytes: (kept.get(0) ?? 0) + scrollBytes };
  for (const [shift, bytes] of kept) if (bytes > best.bytes) best = { shift, bytes };
  return best.shift;
}

const scroll = (rows: readonly string[], shift: number): string[] =>
  rows.map((_, row) => rows[row + shift] ?? "");

const scrollCodes = (rows: number, shift: number): string =>
  `\x1b[1;${rows}r\x1b[${Math.abs(shift)}${shift > 0 ? "S" : "T"}\x1b[r`;

const moveTo = (row: number, column: number): string =>
  `\x1b[${row + 1}${column === 0 ? "" : `;${column + 1}`}H`;

/**
 * Characters that all terminals give the same width and that join no others: of most scripts, of
 * boxes and blocks, and the signs of this screen. Text after any other character is written where
 * the terminal's cursor is, never at a column that we computed.
 */
const unclear =
  // eslint-disable-next-line no-control-regex -- styles and links are in the text
  /[^\x07\x1b\x20-\u02ff\u0370-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u23ce\u2500-\u25fc\u2610-\u2612\u2713-\u2718\u276f\u2800-\u28ff\u3000-\u3029\u3030-\u3098\u309b-\ud7a3]/;

/**
 * Codes that show `now` where `before` is shown, and the code that moves the cursor to where they leave it;
 * empty: unknown. Neither text is wider than the row.
 */
function rowChange(before: string, now: string, row: number): { codes: string; end: string } {
  const start = sharedStart(before, now);
  const kept = now.slice(0, start);
  const isUnclear = unclear.test(before) || unclear.test(now.slice(start));
  const same = isUnclear ? 0 : sharedEnd(before, now, start);
  const rest = now.slice(start, now.length - same);
  const isShorter = isUnclear || Bun.stringWidth(now) < Bun.stringWidth(before);
  const text = rest === "" ? "" : stylesAfter(kept) + rest;
  // Erased first: after a character in the last column, the cursor is on it or after it.
  const erase = isShorter ? "\x1b[K" : "";
  const end = stylesAfter(kept + rest) === "" ? "" : "\x1b[m";
  return {
    codes: moveTo(row, Bun.stringWidth(kept)) + erase + text + end,
    end: isUnclear ? "" : moveTo(row, Bun.stringWidth(kept + rest)),
  };
}

function sharedStart(before: string, now: string): number {
  const most = Math.min(before.length, now.length);
  let end = 0;
  while (end < most && before.charCodeAt(end) === now.charCodeAt(end)) end++;
  const firstUnclear = now.slice(0, end + 1).search(unclear);
  if (firstUnclear >= 0) end = Math.min(end, firstUnclear);
  // An unclear character may also join the one before it, even over codes of styles.
  if (isUnclearAt(before, end) || isUnclearAt(now, end))
    end = Math.max(0, now.slice(0, end).replace(trailingCodes, "").length - 1);
  const code = now.lastIndexOf("\x1b", end - 1);
  // eslint-disable-next-line no-control-regex -- styles are in the text
  const isInside = code >= 0 && !/^\x1b(?:\[[\d;]*m|\]8;;[^\x07]*\x07)/.test(now.slice(code, end));
  if (isInside) end = code;
  // A link is written as a whole.
  const link = now.lastIndexOf("\x1b]8;;", end - 1);
  return link >= 0 && now.charAt(link + linkStart) !== "\x07" ? link : end;
}

/** Shorter ends are not worth looking at. */
const leastEnd = 8;

/** How much of the end is on the screen already, in the same columns and styles: after a number, say. */
function sharedEnd(before: string, now: string, start: number): number {
  const most = Math.min(before.length, now.length) - start;
  let length = 0;
  while (length < most && before.at(-1 - length) === now.at(-1 - length)) length++;
  length = Math.min(
    ...[before, now].map((row) => row.length - afterCode(row, row.length - length)),
  );
  if (length < leastEnd || now.includes("\x1b]") || before.includes("\x1b]")) return 0;
  const [old, text] = [before.slice(0, before.length - length), now.slice(0, now.length - length)];
  const isSame =
    Bun.stringWidth(old) === Bun.stringWidth(text) && stylesAfter(old) === stylesAfter(text);
  return isSame ? length : 0;
}

/** `at`, or the end of the code that it is inside of. */
function afterCode(row: string, at: number): number {
  const code = row.lastIndexOf("\x1b", at - 1);
  const end = code < 0 ? 0 : row.indexOf("m", code) + 1;
  return Math.max(at, end);
}

// eslint-disable-next-line no-control-regex -- styles and links
const trailingCodes = /(?:\x1b\[[\d;]*m|\x1b\]8;;[^\x07]*\x07)+$/;

const linkStart = "\x1b]8;;".length;

const isUnclearAt = (text: string, index: number): boolean => unclear.test(text.charAt(index));
