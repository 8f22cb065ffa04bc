/**
 * Text that is safe to print on a terminal: nothing in it moves the cursor, clears, retitles, colors,
 * rings or reverses anything.
 */

import { clip } from "./clip.ts";

// CSI; strings (OSC, DCS, APC, PM, SOS) up to their end or, without one, up to the line's end; and
// the two-character escapes. C1 forms (U+0080-U+009F) of the same.
export const sequence =
  // eslint-disable-next-line no-control-regex -- matches control characters
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

// eslint-disable-next-line no-control-regex -- C0 without tab and newline, DEL, C1
export const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Characters that reorder or hide their neighbors; they are shown by their code. */
export const invisible =
  // eslint-disable-next-line no-misleading-character-class -- variation selectors, as a range
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2028\u2029\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/** On one line: text after a line break in a name could pass for a sentence or another name. */
export const inOneLine = (text: string): string =>
  text
    .replace(/\r?\n|\r/g, "⏎")
    .replace(control, showCode)
    .replace(invisible, showCode);

/** "<U+202E>" */
export const showCode = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;

/** Escape sequences and control characters are removed, invisible characters shown by their code. */
export const toTerminal = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replace(sequence, "")
    .replace(control, "")
    .replace(invisible, showCode);

/** `toTerminal` on one line, clipped. */
export const terminalLine = (text: string, chars: number): string =>
  clip(toTerminal(text.slice(0, chars * 4).replace(/\s+/g, " ")), chars).trim();

/** Equivalent JSON with control and invisible characters escaped. */
export const jsonToTerminal = (json: string): string =>
  json
    .replace(control, escaped)
    .replace(invisible, (character) => character.split("").map(escaped).join(""));

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
