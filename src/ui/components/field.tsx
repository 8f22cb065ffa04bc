/**
 * A text field, edited by ink-text-input. That package loses keys when several arrive in one read, so Ink reads a
 * replacement for standard input that delivers them one at a time. Keys that the package does not support, and
 * characters of several UTF-16 units, are edited as in the prompt, and the input is remounted with the result
 * (a new `edition`).
 */

import chalk from "chalk";
import { Box, Text, Transform } from "ink";
import TextInput from "ink-text-input";
import { PassThrough } from "node:stream";
import { createContext, type ReactNode, use, useState, useSyncExternalStore } from "react";
import { graphemes } from "../../base/clip.ts";
import type { KeyLevel } from "../key-handlers.ts";
import { type InputEvent, toChord } from "../keys.ts";
import { editByKey, type Editor, emptyEditor, nextGrapheme } from "../prompt/editor.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useKeys } from "../use-keys.ts";
import { Styled } from "./styled.tsx";

/** Appearance of a field. */
type FieldView = {
  readonly field: FieldModel;
  readonly label: string;
  readonly placeholder: string;
  readonly mask?: string;
};

export class FieldModel {
  editor: Editor;
  /** Remount key: ink-text-input always starts with the cursor at the end. */
  edition = 0;
  #told: string;
  readonly #changed: (value: string) => void;
  readonly #listeners = new Set<() => void>();

  constructor(value = "", changed: (value: string) => void = () => {}) {
    this.editor = atEnd({ ...emptyEditor, text: sanitizeLine(value) });
    this.#told = this.value;
    this.#changed = changed;
  }

  get value(): string {
    return this.editor.text;
  }

  show(editor: Editor): void {
    this.editor = editor;
    for (const listener of this.#listeners) listener();
  }

  edit(editor: Editor): void {
    this.show(editor);
    if (this.#told !== this.value) this.#changed((this.#told = this.value));
  }

  readonly clear = (): void => this.edit(emptyEditor);

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.editor = atEnd(this.editor);
    };
  };
}

/** Cursor position after a remount. */
const atEnd = (editor: Editor): Editor => ({ ...editor, cursor: editor.text.length });

type FieldProps = {
  view: FieldView;
  columns: number;
  level?: KeyLevel;
  /** Whether the field takes keys. */
  isActive?: boolean;
};

export function Field(props: FieldProps): ReactNode {
  const { view, columns, level = "field", isActive = true } = props;
  const { field, label, placeholder, mask } = view;
  const value = useSyncExternalStore(field.subscribe, () => field.value);
  const edition = useSyncExternalStore(field.subscribe, () => field.edition);
  const type = use(TypeContext);
  useKeys((event, isLate) => !isLate && type(field, event), level, { isActive });
  const room = Math.max(1, columns - Bun.stringWidth(label));
  const hide = (text: string): string =>
    mask === undefined ? text : mask.repeat([...graphemes(text)].length);
  /** ink-text-input highlights one UTF-16 unit; highlight the whole character. */
  const show = (line: string): string => {
    const { text, cursor } = field.editor;
    if (text === "") return around(line, 0, room);
    const end = nextGrapheme(text, cursor);
    const before = hide(text.slice(0, cursor));
    const at = chalk.inverse(hide(text.slice(cursor, end)) || " ");
    return around(before + at + hide(text.slice(end)), Bun.stringWidth(before), room);
  };
  return (
    <Box height={1} flexShrink={0} aria-role="textbox">
      <Styled role="accent">{label}</Styled>
      <Box width={room} height={1} overflow="hidden">
        <Box width={Math.max(room, Bun.stringWidth(value) + 1)} flexShrink={0}>
          {/* For screen readers, Ink transforms only what is inside a text. */}
          <Text>
            <Transform transform={show}>
              <TextInput
                key={edition}
                value={value}
                placeholder={placeholder}
                onChange={(text) => field.edit({ ...field.editor, text })}
              />
            </Transform>
          </Text>
        </Box>
      </Box>
    </Box>
  );
}

/** Text field of a list or question. */
export type AskedLine = {
  readonly label: string;
  readonly placeholder?: string;
  readonly mask?: string;
  hint: string;
  /** Initial text. */
  value?: string;
  /** Both receive the trimmed text. */
  onEnter(text: string): void;
  onEscape(text: string): void;
};

type AskedProps = { line: AskedLine; level: "question" | "panel"; columns: number };

/** Text field of a list or question, open until Enter or Escape. */
export function AskedField({ line, level, columns }: AskedProps): ReactNode {
  const [field] = useState(() => new FieldModel(line.value));
  useKeys((event, isLate) => {
    const chord = isLate ? "" : toChord(event);
    const text = field.value.trim();
    if (chord === "enter") line.onEnter(text);
    else if (chord === "escape") line.onEscape(text);
    else return false;
    return true;
  }, level);
  return (
    <Field
      view={{ placeholder: "", ...line, field }}
      columns={columns}
      level={level === "panel" ? "field" : level}
    />
  );
}

/** Edits a field through ink-text-input; false: not an edit. */
export const TypeContext = createContext(
  (_field: FieldModel, _event: InputEvent): boolean => false,
);

/** Crops a long line to `room` columns around the cursor. */
function around(line: string, cursor: number, room: number): string {
  const width = Bun.stringWidth(line);
  const from = Math.max(0, Math.min(cursor - Math.floor(room / 2), width - room));
  return width <= room ? line : Bun.sliceAnsi(line, from, from + room);
}

/** Joins the lines of a paste; terminals send line breaks as carriage returns. */
const inOneLine = (text: string): string =>
  text.replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/[\r\n]+/g, " ");

/** The key sequence for the same edit in ink-text-input; null: none. */
function keyFor({ text, cursor }: Editor, next: Editor): string | null {
  const moved = next.cursor - cursor;
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  const typed = next.text.slice(cursor, next.cursor);
  if (next.text === text) return { "-1": "\x1b[D", "0": "", "1": "\x1b[C" }[moved] ?? null;
  if (moved > 0 && next.text === before + typed + after) return typed;
  return moved === -1 && next.text === before.slice(0, -1) + after ? "\x7f" : null;
}

/** `commit` commits React updates. */
export function fieldKeys(commit: () => void) {
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

  /** Remounts with the text before the cursor; the rest is appended afterwards. */
  function remount(field: FieldModel, editor: Editor): void {
    field.edition += 1;
    field.show({ ...editor, text: editor.text.slice(0, editor.cursor) });
    commit();
  }

  return {
    stdin,
    /** False: not an edit. */
    type(field: FieldModel, event: InputEvent): boolean {
      if (event.type === "mouse") return false;
      const text = sanitizeLine(inOneLine(event.text));
      const edited = editByKey(field.editor, toChord(event), text);
      if (edited === null) return event.type === "paste";
      const key = keyFor(field.editor, edited);
      if (key === null) remount(field, edited);
      else if (key) {
        next = key;
        stdin.emit("readable");
      }
      field.edit(edited);
      commit();
      return true;
    },
  };
}
