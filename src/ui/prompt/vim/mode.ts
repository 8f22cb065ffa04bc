/** Vim's state between two keys, and how its modes are entered and left. */

import { insert, lineStart, nextGrapheme, previousGrapheme, type Editor } from "../editor.ts";
import { onCharacter, type Find } from "./motions.ts";
import { lines, type Span } from "./operate.ts";
import type { VimCommand } from "./parse.ts";

export type VimMode = "insert" | "normal" | "visual" | "visual line";

export type Vim = {
  readonly mode: VimMode;
  /** Keys of an incomplete command. */
  readonly keys: readonly string[];
  /** Where the selection started. */
  readonly anchor: number;
  readonly lastFind: Find | null;
  /** What `.` repeats: a command and the text typed during it. */
  readonly last: { command: VimCommand; typed: string } | null;
  /** The editor when insert mode was entered, its number of undo steps, and the command. */
  readonly inserting: { from: Editor; undos: number; command: VimCommand } | null;
};

export const startVim: Vim = {
  mode: "insert",
  keys: [],
  anchor: 0,
  lastFind: null,
  last: null,
  inserting: null,
};

export type VimState = { vim: Vim; editor: Editor };

/** What is selected in visual mode. */
export function selectionOf(vim: Vim, { text, cursor }: Editor): Span | null {
  if (vim.mode === "visual line") return lines(text, vim.anchor, cursor);
  if (vim.mode !== "visual") return null;
  const to = nextGrapheme(text, Math.max(vim.anchor, cursor));
  return { from: Math.min(vim.anchor, cursor), to, isLines: false };
}

export const toInsert = (
  vim: Vim,
  editor: Editor,
  command: VimCommand,
  undos: number,
): VimState => ({
  vim: { ...vim, mode: "insert", inserting: { from: editor, undos, command } },
  editor,
});

/** In normal and visual mode the cursor is on a character. */
export function settled({ vim, editor }: VimState): VimState {
  if (vim.mode === "insert") return { vim, editor };
  return { vim, editor: { ...editor, cursor: onCharacter(editor.text, editor.cursor) } };
}

/** Escape. Returns null in normal mode without pending keys: it means nothing to vim there. */
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
