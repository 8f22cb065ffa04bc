/**
 * Vim keys for the prompt, as a pure reducer over the editor: insert, normal, visual and visual-line
 * mode. Other keys (Enter, Ctrl keys, j and k in normal mode) are left to the prompt.
 */

import type { KeyPress } from "../../keys.ts";
import type { Editor } from "../editor.ts";
import {
  escape,
  selectionOf,
  settled,
  startVim,
  type Vim,
  type VimMode,
  type VimState,
} from "./mode.ts";
import { inNormal } from "./normal.ts";
import { findOf } from "./operate.ts";
import { parse } from "./parse.ts";
import { inVisual } from "./visual.ts";

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

/** Vim keys for the prompt, if they are on. */
export class VimKeys {
  #vim: Vim | null;

  constructor(isOn: boolean) {
    this.#vim = isOn ? startVim : null;
  }

  /** null if vim keys are off. */
  get mode(): VimMode | null {
    return this.#vim?.mode ?? null;
  }

  /** Returns true if they are on now. */
  toggle(): boolean {
    this.#vim = this.#vim ? null : startVim;
    return this.#vim !== null;
  }

  selection(editor: Editor): { from: number; to: number } | null {
    return this.#vim && selectionOf(this.#vim, editor);
  }

  /** The editor after a vim key; null if vim does not handle the key. */
  press(editor: Editor, { chord, text }: KeyPress): Editor | null {
    const isScroll = editor.text === "" && (chord === "home" || chord === "end");
    const done = this.#vim && !isScroll ? pressVim(this.#vim, editor, chord, text) : null;
    if (!done) return null;
    this.#vim = done.vim;
    return done.editor;
  }

  /** In normal mode, j and k move like the arrow keys, past the edge through the history. */
  translate(event: KeyPress): KeyPress {
    if (this.#vim?.mode !== "normal" || event.text === "") return event;
    const chord = { j: "down", k: "up" }[event.chord];
    return { type: "key", chord: chord ?? event.chord, text: "" };
  }
}
