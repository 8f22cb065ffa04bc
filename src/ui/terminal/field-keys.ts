/**
 * Keys for the field that ink-text-input edits. It loses keys when several arrive in one read, so Ink
 * reads a stand-in for standard input, which gets them one at a time, and React commits each at once.
 */

import { PassThrough } from "node:stream";
import type { FieldModel } from "../field.ts";
import { type InputEvent, toChord } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";

const left = "\x1b[D";
const right = "\x1b[C";
const backspace = "\x7f";

/** Keys that the field itself understands, as a terminal sends them. */
const codes: Readonly<Record<string, string>> = {
  left,
  "ctrl+b": left,
  right,
  "ctrl+f": right,
  backspace,
  "ctrl+h": backspace,
};

/** A key that ink-text-input does not know: returns the text before and after the cursor as the key leaves it. */
type Edit = (before: string, after: string) => readonly [before: string, after: string];

const deleteWord: Edit = (before, after) => [before.replace(/\S+\s*$/, ""), after];
const toStart: Edit = (before, after) => ["", before + after];
const toEnd: Edit = (before, after) => [before + after, ""];

const edits: Readonly<Record<string, Edit>> = {
  "ctrl+u": (_, after) => ["", after],
  "ctrl+k": (before) => [before, ""],
  "ctrl+w": deleteWord,
  "alt+backspace": deleteWord,
  "ctrl+backspace": deleteWord,
  delete: (before, after) => [before, after.slice(1)],
  home: toStart,
  "ctrl+a": toStart,
  end: toEnd,
  "ctrl+e": toEnd,
};

/** Where a key takes the cursor. ink-text-input would move it out of the text and lose the next key. */
function cursorAfter({ cursor, cells }: FieldModel, piece: string): number {
  if (piece === right) return Math.min(cells.length, cursor + 1);
  if (piece === left || piece === backspace) return Math.max(0, cursor - 1);
  return cursor + piece.length;
}

/** The lines of a paste; terminals send their breaks as carriage returns. */
const inOneLine = (text: string): string =>
  text.replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/[\r\n]+/g, " ");

const parts = ({ cells, cursor }: FieldModel): [before: string, after: string] => [
  cells.slice(0, cursor),
  cells.slice(cursor),
];

/** `commit` lets React draw what has changed, and `draw` mounts the field of the newest frame before. */
export function fieldKeys(commit: () => void, draw: () => void) {
  let next: string | null = null;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
    read(): string | null {
      const bytes = next;
      next = null;
      return bytes;
    },
  });

  function give(field: FieldModel, piece: string): void {
    const cursor = cursorAfter(field, piece);
    if (cursor === field.cursor) return;
    field.cursor = cursor;
    next = piece;
    stdin.emit("readable");
    commit();
  }

  return {
    stdin,
    /** False: it edits nothing. */
    type(field: FieldModel, event: InputEvent): boolean {
      if (event.type === "mouse") return false;
      const edit = edits[toChord(event)];
      const code = codes[toChord(event)];
      const text = field.toCells(sanitizeLine(inOneLine(event.text)));
      if (!edit && code === undefined && text === "") return event.type === "paste";
      if (!field.isMounted) draw();
      // Without a place on the screen it is at its end; what is typed is kept.
      if (!field.isMounted) field.edit(field.cells + text);
      else if (edit) field.place(...edit(...parts(field)), commit);
      else give(field, code ?? text);
      commit();
      return true;
    },
  };
}
