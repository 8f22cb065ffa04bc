/** Vim's state between two keys. */

import { nextGrapheme, type Editor } from "../editor.ts";
import type { Find } from "./motions.ts";
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
