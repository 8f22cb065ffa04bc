/**
 * Vim keys for the prompt, as a pure reducer over the editor: insert, normal, visual and visual-line
 * mode. Other keys (Enter, Ctrl keys, j and k in normal mode) are left to the prompt.
 */

import type { Editor } from "../editor.ts";
import { escape, settled } from "./insert.ts";
import type { VimState, Vim } from "./mode.ts";
import { inNormal } from "./normal.ts";
import { findOf } from "./operate.ts";
import { parse } from "./parse.ts";
import { inVisual } from "./visual.ts";

export { selectionOf, startVim, type Vim, type VimMode } from "./mode.ts";

/** Commands that are not letters. */
const named = new Set(["left", "right", "home", "end", "backspace", "delete", "ctrl+r"]);

/** Returns null if vim does not handle the key. */
export function pressVim(vim: Vim, editor: Editor, chord: string, text: string): VimState | null {
  if (chord === "escape") return escape(vim, editor);
  if (vim.mode === "insert" || (text === "" && !named.has(chord))) return null;
  const isVisual = vim.mode !== "normal";
  const isUpOrDown = vim.keys.length === 0 && (chord === "j" || chord === "k");
  if (isUpOrDown && !isVisual) return null;
  const keys = [...vim.keys, chord];
  const command = parse(keys, isVisual);
  if (command === "more") return { vim: { ...vim, keys }, editor };
  const idle = { ...vim, keys: [] };
  if (command === null) return { vim: idle, editor };
  const lastFind = findOf(command.key, command.char) ?? vim.lastFind;
  const ready = { ...idle, lastFind };
  const done = isVisual ? inVisual(ready, editor, command) : inNormal(ready, editor, command);
  return settled(done);
}
