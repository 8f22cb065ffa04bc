/**
 * From what Ink delivers to single keys. A terminal may hand over many keys in one read ("hello\r"),
 * and Ink passes that on as one event; here it becomes one event a key, so that no key is lost.
 */

import type { Key } from "ink";

/**
 * One key. `chord` names it: "enter", "up", "ctrl+s", "alt+b", "shift+tab", "a", "A". `text` is what
 * it would type: empty for all but printable keys.
 */
export type KeyPress = { type: "key"; chord: string; text: string };

export type MouseEvent = {
  type: "mouse";
  action: "wheelUp" | "wheelDown" | "press" | "release";
  /** From 0, left upper corner. */
  column: number;
  row: number;
};

export type InputEvent = KeyPress | MouseEvent | { type: "paste"; text: string };

const named: readonly [keyof Key, string][] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
];

const controls: Record<string, string> = {
  "\r": "enter",
  "\n": "ctrl+j",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x1b": "escape",
  "\0": "ctrl+space",
};

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The keys in one event of Ink's, in the order in which they were pressed. */
export function parseKeys(input: string, key: Key): KeyPress[] {
  if (key.eventType === "release") return [];
  const special = named.find(([flag]) => key[flag] === true);
  if (special !== undefined) {
    // With the kitty protocol off, Alt+Enter comes as meta, Shift+Enter not at all.
    return [press(`${modifiers(key, true)}${special[1]}`, "")];
  }
  if (key.ctrl) return [press(`${modifiers(key, true)}${nameOf(input)}`, "")];
  if (key.meta) return [press(`${modifiers(key, false)}${nameOf(input)}`, "")];
  return typed(input);
}

/** The keys in a run of plain text. */
export function typed(input: string): KeyPress[] {
  const keys: KeyPress[] = [];
  // "\r\n" would be one grapheme, and it is two keys.
  for (const piece of input.split(/(\p{Cc})/u)) {
    if (piece === "") continue;
    const control = controlName(piece);
    if (control !== null) keys.push(press(control, ""));
    else for (const { segment } of graphemes.segment(piece)) keys.push(press(segment, segment));
  }
  return keys;
}

const press = (chord: string, text: string): KeyPress => ({ type: "key", chord, text });

const nameOf = (input: string): string => (input === " " ? "space" : input);

function modifiers(key: Key, withShift: boolean): string {
  const shift = withShift && key.shift ? "shift+" : "";
  return `${key.ctrl ? "ctrl+" : ""}${key.meta && !key.escape ? "alt+" : ""}${shift}`;
}

function controlName(piece: string): string | null {
  if (piece.length !== 1) return null;
  const known = controls[piece];
  if (known !== undefined) return known;
  const code = piece.charCodeAt(0);
  return code < 0x20 ? `ctrl+${String.fromCharCode(code + 0x60)}` : null;
}
