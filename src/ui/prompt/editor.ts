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

/** The index to which it leads from another one. */
type Motion = (text: string, cursor: number) => number;

const move =
  (motion: Motion) =>
  (editor: Editor): Editor => ({ ...editor, cursor: motion(editor.text, editor.cursor) });

/** Deletes up to the target of a motion. `isKept`: `yank` inserts what was deleted. */
const erase =
  (motion: Motion, isKept = false) =>
  (editor: Editor): Editor => {
    const { text, cursor, killed } = editor;
    const target = motion(text, cursor);
    const [from, to] = target < cursor ? [target, cursor] : [cursor, target];
    if (from === to) return editor;
    const next = replaceRange(editor, from, to, "");
    return { ...next, killed: isKept ? text.slice(from, to) : killed };
  };

const kill = (motion: Motion): ((editor: Editor) => Editor) => erase(motion, true);

const yank = (editor: Editor): Editor =>
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

function wordLeft(text: string, cursor: number): number {
  const start = Math.max(0, text.lastIndexOf("\n", cursor - 2));
  const found = [...text.slice(start, cursor).matchAll(words)].at(-1);
  return found ? start + found.index : start;
}

function wordRight(text: string, cursor: number): number {
  const found = words[Symbol.matchAll](text.slice(cursor)).next().value;
  return found ? cursor + found.index + found[0].length : text.length;
}

export const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** The end of the line, or at that the start of the next one. */
const throughLine = (text: string, at: number): number =>
  text[at] === "\n" ? at + 1 : lineEnd(text, at);

export function nextGrapheme(text: string, cursor: number): number {
  const first = graphemes(text.slice(cursor, cursor + nearby)).containing(0);
  return cursor + (first?.segment.length ?? 0);
}

export function previousGrapheme(text: string, cursor: number): number {
  // Start at a line break, so that the scan does not start inside a flag or a family emoji.
  const from = Math.max(lineStart(text, Math.max(0, cursor - 1)), cursor - nearby * 4);
  let last = from;
  for (const { index } of graphemes(text.slice(from, cursor))) last = from + index;
  return last;
}

/** Keys that do the same share a line. */
const edits: readonly [keys: string, edit: (editor: Editor) => Editor][] = [
  ["left", move(previousGrapheme)],
  ["right", move(nextGrapheme)],
  ["ctrl+left alt+left alt+b", move(wordLeft)],
  ["ctrl+right alt+right alt+f", move(wordRight)],
  ["home ctrl+a", move(lineStart)],
  ["end ctrl+e", move(lineEnd)],
  ["backspace ctrl+h", erase(previousGrapheme)],
  ["delete ctrl+d", erase(nextGrapheme)],
  ["ctrl+k", kill(throughLine)],
  ["ctrl+u", kill(lineStart)],
  ["ctrl+w alt+backspace", kill(wordLeft)],
  ["alt+d ctrl+delete", kill(wordRight)],
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
