/** Vim's commands in normal mode. */

import { graphemes } from "../../../base/clip.ts";
import {
  insert,
  nextGrapheme,
  previousGrapheme,
  redo,
  replaceRange,
  undo,
  type Editor,
  lineEnd,
  lineStart,
} from "../editor.ts";
import { escape, toInsert, type VimState, type Vim } from "./mode.ts";
import { firstNonBlank } from "./motions.ts";
import { join, moved, operate, put, spanOf, swapCase } from "./operate.ts";
import type { Operator, VimCommand } from "./parse.ts";

export function inNormal(vim: Vim, editor: Editor, command: VimCommand): VimState {
  const { key, operator, char } = command;
  const count = command.count ?? 1;
  const { text, cursor } = editor;
  const undos = editor.undo.length;
  const changed = (next: Editor): VimState => ({
    vim: { ...vim, last: { command, typed: "" } },
    editor: next,
  });
  const typing = (next: Editor): VimState => toInsert(vim, next, command, undos);
  if (operator !== null) {
    const span = spanOf(editor, command, vim.lastFind);
    if (span === null) return { vim, editor };
    const next = operate(editor, operator, span);
    if (operator === "y") return { vim, editor: next };
    return operator === "c" ? typing(next) : changed(next);
  }
  const [shortFor, over = ""] = shorthands[key] ?? [];
  if (shortFor) return inNormal(vim, editor, { ...command, operator: shortFor, key: over });
  switch (key) {
    case "i":
      return typing(editor);
    case "I":
      return typing({ ...editor, cursor: firstNonBlank(text, cursor) });
    case "a":
      return typing({
        ...editor,
        cursor: cursor < lineEnd(text, cursor) ? nextGrapheme(text, cursor) : cursor,
      });
    case "A":
      return typing({ ...editor, cursor: lineEnd(text, cursor) });
    case "o":
      return typing(replaceRange(editor, lineEnd(text, cursor), lineEnd(text, cursor), "\n"));
    case "O": {
      const start = lineStart(text, cursor);
      return typing({ ...replaceRange(editor, start, start, "\n"), cursor: start });
    }
    case "r": {
      const span = spanOf(editor, { ...command, operator: "d", key: "l" }, null);
      const letters = span ? [...graphemes(text.slice(span.from, span.to))].length : 0;
      if (span === null || letters < count) return { vim, editor };
      const next = replaceRange(editor, span.from, span.to, char.repeat(count));
      return changed({ ...next, cursor: previousGrapheme(next.text, next.cursor) });
    }
    case "~": {
      const span = spanOf(editor, { ...command, operator: "d", key: "l" }, null);
      return span ? changed(swapCase(editor, span.from, span.to)) : { vim, editor };
    }
    case "J":
      return changed(join(editor, count));
    case "p":
    case "P":
      return changed(put(editor, key === "p", count));
    case "u":
      return { vim, editor: times(count, editor, undo) };
    case "ctrl+r":
      return { vim, editor: times(count, editor, redo) };
    case ".":
      return repeatLast(vim, editor, command.count);
    case "v":
    case "V":
      return {
        vim: { ...vim, mode: key === "v" ? "visual" : "visual line", anchor: cursor },
        editor,
      };
    default:
      return { vim, editor: moved(editor, command, vim.lastFind) };
  }
}

const shorthands: Readonly<Record<string, readonly [Operator, key: string]>> = {
  x: ["d", "l"],
  delete: ["d", "l"],
  X: ["d", "h"],
  s: ["c", "l"],
  S: ["c", "line"],
  C: ["c", "$"],
  D: ["d", "$"],
  Y: ["y", "line"],
};

function times(count: number, editor: Editor, step: (editor: Editor) => Editor): Editor {
  let next = editor;
  for (let n = 0; n < count && n < 1_000; n++) next = step(next);
  return next;
}

function repeatLast(vim: Vim, editor: Editor, count: number | null): VimState {
  if (vim.last === null) return { vim, editor };
  const { command, typed } = vim.last;
  const done = inNormal(vim, editor, { ...command, count: count ?? command.count });
  if (done.vim.mode !== "insert") return { ...done, vim: { ...done.vim, last: vim.last } };
  const after = escape(done.vim, insert(done.editor, typed));
  return after ? { ...after, vim: { ...after.vim, last: vim.last } } : done;
}
