/** A multi-line editor as a pure reducer, with the keys of readline. */

import { graphemes } from "../../base/clip.ts";

export type Editor = {
  readonly text: string;
  /** Index into `text`, in UTF-16 units, always on a grapheme boundary. */
  readonly cursor: number;
  readonly killed: string;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
};

type Snapshot = { text: string; cursor: number };

export const emptyEditor: Editor = { text: "", cursor: 0, killed: "", undo: [], redo: [] };

const words = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+/gu;
const maxUndos = 200;

/** Longer than any grapheme, so that a move does not scan the full text. */
const nearby = 64;

export const insert = (editor: Editor, text: string): Editor =>
  replaceRange(editor, editor.cursor, editor.cursor, text);

export const replaceAll = (editor: Editor, text: string): Editor =>
  change(editor, text, text.length);

export const replaceRange = (editor: Editor, from: number, to: number, text: string): Editor =>
  change(editor, editor.text.slice(0, from) + text + editor.text.slice(to), from + text.length);

type Motion =
  "left" | "right" | "wordLeft" | "wordRight" | "lineStart" | "lineEnd" | "start" | "end";

export const move = (editor: Editor, motion: Motion): Editor => ({
  ...editor,
  cursor: target(editor, motion),
});

/** Deletes up to the target of a motion. */
export function erase(editor: Editor, motion: Motion): Editor {
  const [from, to] = between(editor, motion);
  return from === to ? editor : replaceRange(editor, from, to, "");
}

/** Like `erase`, keeping the text for `yank`. At the end of a line it deletes the line break. */
export function kill(editor: Editor, motion: Motion): Editor {
  let [from, to] = between(editor, motion);
  if (from === to && motion === "lineEnd" && to < editor.text.length) to++;
  if (from === to) return editor;
  return { ...replaceRange(editor, from, to, ""), killed: editor.text.slice(from, to) };
}

export const yank = (editor: Editor): Editor =>
  editor.killed === "" ? editor : insert(editor, editor.killed);

export const undo = (editor: Editor): Editor => travel(editor, "undo", "redo");

export const redo = (editor: Editor): Editor => travel(editor, "redo", "undo");

function travel(editor: Editor, from: "undo" | "redo", to: "undo" | "redo"): Editor {
  const { text, cursor, [from]: steps } = editor;
  const step = steps.at(-1);
  if (!step) return editor;
  return {
    ...editor,
    ...step,
    [from]: steps.slice(0, -1),
    [to]: [...editor[to], { text, cursor }],
  };
}

/** Typed letters are merged into one undo step per word. */
function change(editor: Editor, text: string, cursor: number): Editor {
  const before = { text: editor.text, cursor: editor.cursor };
  const last = editor.undo.at(-1);
  const typing = text.length === editor.text.length + 1 && cursor === editor.cursor + 1;
  const wasTyping = last && editor.text.length === last.text.length + (editor.cursor - last.cursor);
  const joins =
    typing && wasTyping && !/\s/.test(text[cursor - 1] ?? "") && editor.cursor > last.cursor;
  const undos = joins ? editor.undo : [...editor.undo.slice(-maxUndos), before];
  return { ...editor, text, cursor, undo: undos, redo: [] };
}

function between(editor: Editor, motion: Motion): [number, number] {
  const to = target(editor, motion);
  return to < editor.cursor ? [to, editor.cursor] : [editor.cursor, to];
}

function target({ text, cursor }: Editor, motion: Motion): number {
  switch (motion) {
    case "left":
      return previousGrapheme(text, cursor);
    case "right":
      return nextGrapheme(text, cursor);
    case "wordLeft": {
      const start = Math.max(0, text.lastIndexOf("\n", cursor - 2));
      const found = [...text.slice(start, cursor).matchAll(words)].at(-1);
      return found ? start + found.index : start;
    }
    case "wordRight": {
      const found = words[Symbol.matchAll](text.slice(cursor)).next().value;
      return found ? cursor + found.index + found[0].length : text.length;
    }
    case "lineStart":
      return lineStart(text, cursor);
    case "lineEnd":
      return lineEnd(text, cursor);
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}

export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

export function nextGrapheme(text: string, cursor: number): number {
  const first = graphemes(text.slice(cursor, cursor + nearby)).containing(0);
  return cursor + (first?.segment.length ?? 0);
}

export function previousGrapheme(text: string, cursor: number): number {
  // Start at a line break, so that the scan does not start inside a flag or a family emoji.
  const from = Math.max(text.lastIndexOf("\n", cursor - 2) + 1, cursor - nearby * 4, 0);
  let last = from;
  for (const { index } of graphemes(text.slice(from, cursor))) last = from + index;
  return last;
}

/** Keys that do the same share a line. */
const edits: readonly [keys: string, edit: (editor: Editor) => Editor][] = [
  ["left", (editor) => move(editor, "left")],
  ["right", (editor) => move(editor, "right")],
  ["ctrl+left alt+left alt+b", (editor) => move(editor, "wordLeft")],
  ["ctrl+right alt+right alt+f", (editor) => move(editor, "wordRight")],
  ["home ctrl+a", (editor) => move(editor, "lineStart")],
  ["end ctrl+e", (editor) => move(editor, "lineEnd")],
  ["backspace ctrl+h", (editor) => erase(editor, "left")],
  ["delete ctrl+d", (editor) => erase(editor, "right")],
  ["ctrl+k", (editor) => kill(editor, "lineEnd")],
  ["ctrl+u", (editor) => kill(editor, "lineStart")],
  ["ctrl+w alt+backspace", (editor) => kill(editor, "wordLeft")],
  ["alt+d ctrl+delete", (editor) => kill(editor, "wordRight")],
  ["ctrl+y", yank],
  // One key in the kitty protocol and on other keyboard layouts.
  ["ctrl+_ ctrl+- ctrl+/ ctrl+shift+-", undo],
  ["alt+z ctrl+]", redo],
];

const editsByKey = new Map(
  edits.flatMap(([keys, edit]) => keys.split(" ").map((key) => [key, edit] as const)),
);

/** The editor after a key; null if the key does not edit. */
export function editByKey(editor: Editor, chord: string, text: string): Editor | null {
  const edit = editsByKey.get(chord);
  if (edit) return edit(editor);
  return text === "" ? null : insert(editor, text);
}
