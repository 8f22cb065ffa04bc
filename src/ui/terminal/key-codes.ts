/** The keys that terminals encode as a number or letter in a sequence. */

/** Keys by what stands before each of them in a list: "A up, B down". */
function keysBy(list: string): ReadonlyMap<string, string> {
  const pairs = list.matchAll(/(\w+) ([^\s,]+)/g);
  return new Map(pairs.map(([, code = "", key = ""]) => [code, key]));
}

/** `CSI 1 ; modifiers LETTER` and `SS3 LETTER`. */
export const byLetter = keysBy(
  "A up, B down, C right, D left, F end, H home, P f1, Q f2, R f3, S f4, Z shift+tab, M enter",
);

/** `CSI NUMBER ; modifiers ~`. */
export const byNumber = keysBy(
  "1 home, 2 insert, 3 delete, 4 end, 5 pageup, 6 pagedown, 7 home, 8 end, 11 f1, 12 f2, 13 f3, " +
    "14 f4, 15 f5, 17 f6, 18 f7, 19 f8, 20 f9, 21 f10, 23 f11, 24 f12",
);

/** The Linux console's `CSI [ LETTER`. */
export const byConsoleLetter = keysBy("A f1, B f2, C f3, D f4, E f5");

/** Non-printing keys by their code in the kitty protocol and modifyOtherKeys. */
export const byCode = keysBy(
  "8 backspace, 9 tab, 13 enter, 27 escape, 127 backspace, 57414 enter, 57417 left, 57418 right, " +
    "57419 up, 57420 down, 57421 pageup, 57422 pagedown, 57423 home, 57424 end, 57425 insert, " +
    "57426 delete",
);

/** Characters of the number pad, from code 57399 on; a space means a key without a character. */
const pad = "0123456789./*-+ =,";

/** The character of a code; null for a non-printing key. */
export function characterOf(code: number): string | null {
  const onPad = pad[code - 57399];
  if (onPad !== undefined) return onPad === " " ? null : onPad;
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || isPrivate || isSurrogate) return null;
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}
