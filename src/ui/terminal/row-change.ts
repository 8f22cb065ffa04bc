/** The shortest output that turns one row of the terminal into another. */

import { stylesAfter } from "../wrap.ts";

/** Moves the cursor to a row and a column, both from 0. */
export const moveTo = (row: number, column: number): string =>
  `\x1b[${row + 1}${column === 0 ? "" : `;${column + 1}`}H`;

/**
 * Characters that all terminals give the same width and that join no others: of most scripts, of
 * boxes and blocks, and the signs of this screen. Text after any other character is written where
 * the terminal's cursor is, never at a column that we computed.
 */
const unclear =
  // eslint-disable-next-line no-control-regex -- styles and links are in the text
  /[^\x07\x1b\x20-\u02ff\u0370-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u23ce\u2500-\u25fc\u2610-\u2612\u2713-\u2718\u276f\u2800-\u28ff\u3000-\u3029\u3030-\u3098\u309b-\ud7a3]/;

/** Codes that show `now` where `before` is shown. Neither is wider than the row. */
export function rowChange(before: string, now: string, row: number): string {
  const start = sharedStart(before, now);
  const kept = now.slice(0, start);
  const rest = now.slice(start);
  const isUnclear = unclear.test(before) || unclear.test(rest);
  const isShorter = isUnclear || Bun.stringWidth(now) < Bun.stringWidth(before);
  const text = rest === "" ? "" : stylesAfter(kept) + rest;
  // Erased first: after a character in the last column, the cursor is on it or after it.
  const erase = isShorter ? "\x1b[K" : "";
  const end = stylesAfter(now) === "" ? "" : "\x1b[m";
  return moveTo(row, Bun.stringWidth(kept)) + erase + text + end;
}

/** The length of the text that both begin with and that can stay as it is. */
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

// eslint-disable-next-line no-control-regex -- styles and links
const trailingCodes = /(?:\x1b\[[\d;]*m|\x1b\]8;;[^\x07]*\x07)+$/;

const linkStart = "\x1b]8;;".length;

const isUnclearAt = (text: string, index: number): boolean => unclear.test(text.charAt(index));
