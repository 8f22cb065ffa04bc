/**
 * Keys for the field that ink-text-input edits. It loses keys when several arrive in one read, so Ink
 * reads a stand-in for standard input, which gets them one at a time.
 */

import { PassThrough } from "node:stream";
import type { FieldModel } from "../field.ts";
import type { InputEvent } from "../keys.ts";
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

/** Where a key takes the cursor. ink-text-input would move it out of the text and lose the next key. */
function cursorAfter({ cursor, cells }: FieldModel, piece: string): number {
  if (piece === right) return Math.min(cells.length, cursor + 1);
  if (piece === left || piece === backspace) return Math.max(0, cursor - 1);
  return cursor + piece.length;
}

const edits: Readonly<Record<string, (value: string) => string>> = {
  "ctrl+u": () => "",
  "ctrl+w": withoutLastWord,
  "alt+backspace": withoutLastWord,
  "ctrl+backspace": withoutLastWord,
};

function withoutLastWord(value: string): string {
  return value.replace(/\S+\s*$/, "");
}

export type FieldKeys = ReturnType<typeof fieldKeys>;

export function fieldKeys() {
  const keys = new PassThrough();
  const stdin = Object.assign(keys, {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  /** The field that listens, and the one of the newest frame. */
  let current: FieldModel | null = null;
  let shown: FieldModel | null = null;
  /** Resolves when one of them is another. */
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  async function give(field: FieldModel, bytes: readonly string[]): Promise<void> {
    if (current !== field) await changed.promise;
    while (current !== field && shown === field) await changed.promise;
    // Something else covers it already; what was typed is kept.
    if (current !== field) return field.edit(field.cells + bytes.filter(isText).join(""));
    for (const piece of bytes) {
      const cursor = cursorAfter(field, piece);
      if (cursor === field.cursor) continue;
      field.cursor = cursor;
      keys.write(piece);
      // Ink reads it in the next tick, and React has committed before the next turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    stdin,
    mounted(field: FieldModel): () => void {
      current = field;
      field.cursor = field.cells.length;
      change();
      return () => {
        if (current === field) current = null;
      };
    },
    /** The field of the frame that was drawn last. */
    presented(field: FieldModel | null): void {
      shown = field;
      change();
    },
    /** Returns a promise that resolves once the field has taken the event; false: it edits nothing. */
    type(field: FieldModel, event: InputEvent): false | Promise<void> {
      if (event.type === "mouse") return false;
      if (event.type === "paste") {
        const pasted = field.toCells(sanitizeLine(event.text));
        return give(field, pasted === "" ? [] : [pasted]);
      }
      const { chord, text } = event;
      if (text !== "") return give(field, [field.toCells(text)]);
      const edit = edits[chord];
      if (edit) {
        field.set(edit(field.value));
        return committed();
      }
      const code = codes[chord];
      if (code !== undefined) return give(field, [code]);
      // The field has no keys for its ends.
      if (chord === "home" || chord === "ctrl+a") return toStart(field);
      if (chord === "end" || chord === "ctrl+e")
        return give(field, Array<string>(field.cells.length - field.cursor).fill(right));
      return false;
    },
  };
}

/** The field goes to the start when its text is gone; more Lefts than characters would confuse it. */
async function toStart(field: FieldModel): Promise<void> {
  const { cells } = field;
  field.show("");
  await committed();
  field.show(cells);
  await committed();
}

/** After a change from outside, the field moves its cursor in an effect, which React runs later. */
async function committed(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const isText = (bytes: string): boolean => !Object.values(codes).includes(bytes);
