/** Output as a terminal would have shown it, in plain text: no escape sequence gets through. */

import { sequence } from "../../base/escape-terminal.ts";

// eslint-disable-next-line no-control-regex
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

// eslint-disable-next-line no-control-regex
const overstruck = /[^\n]\x08/g;

/**
 * Strips escape sequences, keeps the last state of lines overwritten by carriage returns, and shows
 * other control characters in caret notation (`^@`).
 */
export function cleanOutput(text: string): string {
  const plain = text.replace(sequence, "");
  const lines = plain.includes("\r") ? plain.split("\n").map(lastState).join("\n") : plain;
  return lines.replace(overstruck, "").replace(controls, caret);
}

function lastState(line: string): string {
  const states = line.split("\r");
  while (states.length > 1 && states.at(-1) === "") states.pop();
  return states.at(-1) ?? "";
}

function caret(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x07) return "";
  return code === 0x7f ? "^?" : `^${String.fromCharCode(code + 64)}`;
}
