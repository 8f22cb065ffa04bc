/** Vim keys for the prompt's editor. */

import type { KeyPress } from "../../keys.ts";
import type { Editor } from "../editor.ts";
import { pressVim, selectionOf, startVim, type Vim, type VimMode } from "./vim.ts";

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
