/** Escape in each of vim's modes. */

import { insert, previousGrapheme, type Editor, lineStart } from "../editor.ts";
import type { VimState, Vim } from "./mode.ts";
import { onCharacter } from "./motions.ts";

/** In normal and visual mode the cursor is on a character. */
export function settled({ vim, editor }: VimState): VimState {
  if (vim.mode === "insert") return { vim, editor };
  return { vim, editor: { ...editor, cursor: onCharacter(editor.text, editor.cursor) } };
}

/** Returns null in normal mode without pending keys: Escape means nothing to vim there. */
export function escape(vim: Vim, editor: Editor): VimState | null {
  if (vim.mode === "normal")
    return vim.keys.length > 0 ? { vim: { ...vim, keys: [] }, editor } : null;
  const normal: Vim = { ...vim, mode: "normal", keys: [], inserting: null };
  if (vim.mode !== "insert") return settled({ vim: normal, editor });
  const { inserting } = vim;
  const typed = inserting ? typedSince(inserting.from, editor) : "";
  const again =
    inserting && /^[iIaA]$/.test(inserting.command.key) ? inserting.command.count : null;
  const whole = again && again > 1 ? insert(editor, typed.repeat(again - 1)) : editor;
  // One undo step covers the typed text and what the command deleted.
  const one = inserting ? { ...whole, undo: whole.undo.slice(0, inserting.undos + 1) } : whole;
  const start = lineStart(one.text, one.cursor);
  const cursor = one.cursor > start ? previousGrapheme(one.text, one.cursor) : one.cursor;
  const last = inserting ? { command: inserting.command, typed } : vim.last;
  return { vim: { ...normal, last }, editor: { ...one, cursor } };
}

/** The text typed at the cursor; empty if anything else changed. */
function typedSince(before: Editor, { text, cursor }: Editor): string {
  const head = before.text.slice(0, before.cursor);
  const tail = before.text.slice(before.cursor);
  const isPure = text.startsWith(head) && text.endsWith(tail) && cursor >= head.length;
  return isPure ? text.slice(head.length, Math.max(head.length, text.length - tail.length)) : "";
}
