/** Vim's keys on the prompt's editor, and their mode for the status line. */

import { useEffect } from "react";
import { useLatest, type Latest } from "../../use-latest.ts";
import { useKeys } from "../../input.tsx";
import type { KeyPress } from "../../keys.ts";
import type { PanelProps } from "../../types.ts";
import type { Editor } from "../editor.ts";
import { pressVim, startVim, type Vim } from "./vim.ts";

type VimOptions = Pick<PanelProps, "state" | "dispatch"> & {
  covered: boolean;
  editor: Latest<Editor>;
  change(next: Editor): void;
};

export function useVim({ state, dispatch, covered, editor, change }: VimOptions) {
  const isOn = state.vim !== null;
  const vim = useLatest<Vim>(startVim);
  useEffect(() => {
    if (isOn) vim.set(startVim);
  }, [isOn, vim]);

  /** True: it was vim's key. */
  const press = ({ chord, text }: KeyPress): boolean => {
    if (!isOn) return false;
    const now = editor.get();
    const isScroll = now.text === "" && (chord === "home" || chord === "end");
    const done = isScroll ? null : pressVim(vim.get(), now, chord, text);
    if (done === null) return false;
    if (done.vim.mode !== vim.get().mode) dispatch({ type: "vim", mode: done.vim.mode });
    vim.set(done.vim);
    if (done.editor.text === now.text) editor.set(done.editor);
    else change(done.editor);
    return true;
  };

  // Before the agent is stopped by it: Escape leaves insert mode first.
  useKeys(
    "popup",
    (event) => event.type === "key" && event.chord === "escape" && press(event),
    isOn && !covered && state.focus === "prompt",
  );

  return {
    state: isOn ? vim.get() : null,
    press,
    /** In normal mode j and k walk over lines, and over their edge through the history. */
    translate(event: KeyPress): KeyPress {
      if (!isOn || vim.get().mode !== "normal" || event.text === "") return event;
      const chord = { j: "down", k: "up" }[event.chord];
      return { type: "key", chord: chord ?? event.chord, text: "" };
    },
  };
}
