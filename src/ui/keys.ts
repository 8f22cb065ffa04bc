/** Input at the terminal: keys, mouse and pastes, one event each. */

import { graphemes } from "../base/clip.ts";

/** `chord` names the key: "enter", "ctrl+s", "shift+tab", "A"; `text` is what it types, if anything. */
export type KeyPress = { type: "key"; chord: string; text: string };

export type MouseEvent = {
  type: "mouse";
  /** For parts of the screen, "press" means a complete click. */
  action: "wheelUp" | "wheelDown" | "press" | "drag" | "release";
  /** From 0, at the upper left corner. */
  column: number;
  row: number;
};

export type InputEvent = KeyPress | MouseEvent | { type: "paste"; text: string };

/** The chord of a key; empty for all other events. */
export const toChord = (event: InputEvent): string => (event.type === "key" ? event.chord : "");

/** Control characters that have a key of their own; the others are Ctrl and a letter. */
const controls: Record<string, string> = {
  "\r": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\x1b": "escape",
  "\0": "ctrl+space",
};

export function typed(input: string): KeyPress[] {
  const keys: KeyPress[] = [];
  // "\r\n" would be one grapheme, and it is two keys.
  for (const piece of input.split(/(\p{Cc})/u)) {
    if (piece === "") continue;
    const control = controlName(piece);
    if (control !== null) keys.push(press(control, ""));
    else for (const { segment } of graphemes(piece)) keys.push(press(segment, segment));
  }
  return keys;
}

export const press = (chord: string, text: string): KeyPress => ({ type: "key", chord, text });

function controlName(piece: string): string | null {
  if (piece.length !== 1) return null;
  const known = controls[piece];
  if (known !== undefined) return known;
  const code = piece.charCodeAt(0);
  if (code < 0x1b) return `ctrl+${String.fromCharCode(code + 0x60)}`;
  if (code < 0x20) return `ctrl+${String.fromCharCode(code + 0x40)}`;
  // C1: no key sends these, and they cannot be typed.
  return code >= 0x80 && code < 0xa0 ? "" : null;
}
