/** The meaning of complete sequences: keys of every protocol, mouse reports, replies. */

import { type InputEvent, type MouseEvent, press, typed } from "../keys.ts";
import { byPlace, isOtherScript } from "./layouts.ts";

export type TerminalEvent =
  | InputEvent
  | { type: "focus"; focused: boolean }
  | { type: "status" }
  | { type: "background"; isLight: boolean };

/** The answer to `backgroundRequest`: red, green and blue, each of 1 to 4 hexadecimal digits. */
// eslint-disable-next-line no-control-regex -- Escape
const backgroundReply = /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i;

/** Whether dark text is read better on that background; null: another reply. */
export function readBackground(answer: string): boolean | null {
  const [, ...parts] = backgroundReply.exec(answer) ?? [];
  if (parts.length === 0) return null;
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => parseInt(part, 16) / (16 ** part.length - 1),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
}

/** SGR (1006) only, because the older encodings cannot express every column. */
const mouseReport = /^<(\d+);(\d+);(\d+)[Mm]$/;

function parseKeys(list: string): ReadonlyMap<string, string> {
  const pairs = list.matchAll(/(\w+) ([^\s,]+)/g);
  return new Map(pairs.map(([, code = "", key = ""]) => [code, key]));
}

/** `CSI 1 ; modifiers LETTER` and `SS3 LETTER`. */
export const byLetter = parseKeys(
  "A up, B down, C right, D left, F end, H home, P f1, Q f2, R f3, S f4, Z shift+tab, M enter",
);

/** `CSI NUMBER ; modifiers ~`. */
const byNumber = parseKeys(
  "1 home, 2 insert, 3 delete, 4 end, 5 pageup, 6 pagedown, 7 home, 8 end, 11 f1, 12 f2, 13 f3, " +
    "14 f4, 15 f5, 17 f6, 18 f7, 19 f8, 20 f9, 21 f10, 23 f11, 24 f12",
);

/** The Linux console's `CSI [ LETTER`. */
export const byConsoleLetter = parseKeys("A f1, B f2, C f3, D f4, E f5");

/** Non-printing keys by their code in the kitty protocol and modifyOtherKeys. */
const byCode = parseKeys(
  "8 backspace, 9 tab, 13 enter, 27 escape, 127 backspace, 57414 enter, 57417 left, 57418 right, " +
    "57419 up, 57420 down, 57421 pageup, 57422 pagedown, 57423 home, 57424 end, 57425 insert, " +
    "57426 delete",
);

/** Characters of the number pad, from code 57399 on; a space means a key without a character. */
const pad = "0123456789./*-+ =,";

export function sequenceEvents(parameters: string, final: string): TerminalEvent[] {
  const [, button, column, row] = mouseReport.exec(parameters + final) ?? [];
  if (button !== undefined) {
    const action = mouseAction(Number(button), final);
    const place = { column: Number(column) - 1, row: Number(row) - 1 };
    return action === null ? [] : [{ type: "mouse", action, ...place }];
  }
  if (parameters === "" && (final === "I" || final === "O")) {
    return [{ type: "focus", focused: final === "I" }];
  }
  if (parameters === "0" && final === "n") return [{ type: "status" }];
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [bits = "1", kind = "1"] = second.split(":");
  const isRelease = kind === "3";
  const isReply = /[<=>?]/.test(parameters);
  if (isReply || isRelease) return [];
  const modifiers = Math.max(0, Number(bits === "" ? 1 : bits) - 1);
  if (final === "u") {
    const [code = "", , base = ""] = first.split(":");
    return coded(Number(code), modifiers, third, base === "" ? null : Number(base));
  }
  if (final === "~" && first === "27") return coded(Number(third), modifiers, "", null);
  const name =
    final === "~" || final === "^" || final === "$" ? byNumber.get(first) : byLetter.get(final);
  if (name === undefined) return [];
  // rxvt encodes the modifier in the last character.
  const own = final === "^" ? 4 : final === "$" ? 1 : 0;
  return [press(prefix(modifiers | own) + name, "")];
}

function mouseAction(button: number, final: string): MouseEvent["action"] | null {
  if (button & 64) return button & 1 ? "wheelDown" : "wheelUp";
  // Only the left button.
  if ((button & 3) !== 0) return null;
  if (button & 32) return "drag";
  return final === "M" ? "press" : "release";
}

/** Ctrl and these are keys of their own, as in terminals without the protocols. */
const controls = new Map([
  ["[", "escape"],
  ["i", "tab"],
  ["m", "enter"],
]);

/** `base`: the key at that place of a US keyboard, if the terminal tells. */
function coded(
  code: number,
  modifiers: number,
  text: string,
  base: number | null,
): TerminalEvent[] {
  const name = byCode.get(`${code}`);
  if (name !== undefined) return [press(prefix(modifiers) + name, "")];
  const character = readCharacter(code);
  if (character === null) return [];
  const isShiftOnly = (modifiers & ~1) === 0;
  const codes = text === "" ? [] : text.split(":").map(Number);
  if (isShiftOnly) {
    const types = codes.map((own) => readCharacter(own) ?? "").join("");
    return typed(types || (modifiers & 1 ? character.toUpperCase() : character));
  }
  const told = base !== null && isOtherScript(character) ? readCharacter(base) : null;
  const key = told ?? byPlace(character);
  const control = modifiers === 4 ? controls.get(key) : undefined;
  return [press(control ?? prefix(modifiers) + (key === " " ? "space" : key), "")];
}

/** The protocols' bits: 1 shift, 2 alt, 4 ctrl, 8 super, 32 meta; lock keys are ignored. */
function prefix(modifiers: number): string {
  const ctrl = modifiers & 4 ? "ctrl+" : "";
  const alt = modifiers & (2 | 32) ? "alt+" : "";
  return `${ctrl}${alt}${modifiers & 1 ? "shift+" : ""}${modifiers & 8 ? "super+" : ""}`;
}

/** The character of a code; null for a non-printing key. */
function readCharacter(code: number): string | null {
  const onPad = pad[code - 57399];
  if (onPad !== undefined) return onPad === " " ? null : onPad;
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || isPrivate || isSurrogate) return null;
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}
