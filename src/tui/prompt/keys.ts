/** What the prompt's own keys do to its text: the ways of readline. */

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
  "ctrl+y": yank,
  "ctrl+_": undo,
  // The same key where the kitty protocol tells it as it is, and on other layouts.
  "ctrl+-": undo,
  "ctrl+/": undo,
  "ctrl+shift+-": undo,
  "alt+z": redo,
};

/** The editor after a key; null: this key edits nothing. */
export function editByKey(editor: Editor, chord: string, text: string): Editor | null {
  const edit = edits[chord];
  if (edit) return edit(editor);
  return text === "" ? null : insert(editor, text);
}
