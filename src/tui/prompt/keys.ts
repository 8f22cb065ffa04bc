/** The prompt's editing keys, as in readline. */

import { erase, insert, kill, move, redo, undo, yank, type Editor } from "./editor.ts";

const edits: Record<string, (editor: Editor) => Editor> = {
  left: (editor) => move(editor, "left"),
  right: (editor) => move(editor, "right"),
  "ctrl+left": (editor) => move(editor, "wordLeft"),
  "ctrl+right": (editor) => move(editor, "wordRight"),
  "alt+b": (editor) => move(editor, "wordLeft"),
  "alt+f": (editor) => move(editor, "wordRight"),
  "alt+left": (editor) => move(editor, "wordLeft"),
  "alt+right": (editor) => move(editor, "wordRight"),
  home: (editor) => move(editor, "lineStart"),
  end: (editor) => move(editor, "lineEnd"),
  "ctrl+a": (editor) => move(editor, "lineStart"),
  "ctrl+e": (editor) => move(editor, "lineEnd"),
  backspace: (editor) => erase(editor, "left"),
  "ctrl+h": (editor) => erase(editor, "left"),
  delete: (editor) => erase(editor, "right"),
  "ctrl+d": (editor) => erase(editor, "right"),
  "ctrl+k": (editor) => kill(editor, "lineEnd"),
  "ctrl+u": (editor) => kill(editor, "lineStart"),
  "ctrl+w": (editor) => kill(editor, "wordLeft"),
  "alt+backspace": (editor) => kill(editor, "wordLeft"),
  "alt+d": (editor) => kill(editor, "wordRight"),
  "ctrl+delete": (editor) => kill(editor, "wordRight"),
  "ctrl+y": yank,
  "ctrl+_": undo,
  // The same key in the kitty protocol and on other keyboard layouts.
  "ctrl+-": undo,
  "ctrl+/": undo,
  "ctrl+shift+-": undo,
  "alt+z": redo,
  "ctrl+]": redo,
};

/** The editor after a key; null if the key does not edit. */
export function editByKey(editor: Editor, chord: string, text: string): Editor | null {
  const edit = edits[chord];
  if (edit) return edit(editor);
  return text === "" ? null : insert(editor, text);
}
