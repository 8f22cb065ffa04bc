/** Vim's commands in the visual modes. */

import { previousGrapheme, replaceRange, type Editor } from "../editor.ts";
import { selectionOf, toInsert, type VimState, type Vim } from "./mode.ts";
import { textObject } from "./objects.ts";
import { join, lines, moved, operate, put, swapCase, type Span } from "./operate.ts";
import type { Operator, VimCommand } from "./parse.ts";

const onSelection: Readonly<Record<string, Operator>> = { x: "d", delete: "d", s: "c" };

/** These take whole lines, however little is selected. */
const onLines: Readonly<Record<string, Operator>> = { X: "d", D: "d", S: "c", C: "c", Y: "y" };

export function inVisual(vim: Vim, editor: Editor, command: VimCommand): VimState {
  const { text, cursor } = editor;
  const { key, operator, char } = command;
  const span = selectionOf(vim, editor) ?? lines(text, cursor, cursor);
  const normal: Vim = { ...vim, mode: "normal" };
  const done = (next: Editor, to = next.cursor): VimState => ({
    vim: normal,
    editor: { ...next, cursor: to },
  });
  const act = (which: Operator, over: Span): VimState => {
    const next = operate(editor, which, over);
    if (which === "y") return done(next, over.from);
    if (which === "d") return done(next);
    const insert = { count: null, operator: null, key: "i", char: "" };
    return toInsert(normal, next, insert, editor.undo.length);
  };
  if (operator !== null) return act(operator, span);
  const acts = onSelection[key];
  if (acts) return act(acts, span);
  const actsOnLines = onLines[key];
  if (actsOnLines)
    return act(actsOnLines, lines(text, span.from, Math.max(span.from, span.to - 1)));
  switch (key) {
    case "o":
      return { vim: { ...vim, anchor: cursor }, editor: { ...editor, cursor: vim.anchor } };
    case "v":
    case "V": {
      const mode = key === "v" ? "visual" : "visual line";
      return { vim: { ...vim, mode: mode === vim.mode ? "normal" : mode }, editor };
    }
    case "~":
      return done(swapCase(editor, span.from, span.to), span.from);
    case "J": {
      const count = text.slice(span.from, span.to).split("\n").length;
      return done(join({ ...editor, cursor: span.from }, Math.max(2, count)));
    }
    case "r": {
      const filled = text.slice(span.from, span.to).replace(/[^\n]/gu, () => char);
      return done(replaceRange(editor, span.from, span.to, filled), span.from);
    }
    case "p":
    case "P": {
      const gone = operate(editor, "d", { ...span, isLines: false });
      const back = put({ ...gone, killed: editor.killed }, false, command.count ?? 1);
      return done({ ...back, killed: gone.killed });
    }
    default: {
      const object = /^[ia]./.test(key) ? textObject(text, cursor, key) : null;
      if (object) {
        const end = Math.max(object.from, previousGrapheme(text, object.to));
        return { vim: { ...vim, anchor: object.from }, editor: { ...editor, cursor: end } };
      }
      return { vim, editor: moved(editor, command, vim.lastFind) };
    }
  }
}
