/**
 * A text field, edited by ink-text-input. Keys that the package lacks (words, line ends) and characters of several
 * UTF-16 units are edited as in the prompt; the input is then mounted again with the result.
 */

import chalk from "chalk";
import { Box, Text, Transform, useStdin } from "ink";
import TextInput from "ink-text-input";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { graphemes } from "../../base/clip.ts";
import type { KeyLevel } from "../use-keys.ts";
import { toChord } from "../keys.ts";
import { editByKey, type Editor, emptyEditor, nextGrapheme } from "../prompt/editor.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useKeys } from "../use-keys.ts";
import { FieldInput } from "./field-input.ts";
import { Styled } from "./styled.tsx";

type FieldProps = {
  editor: Editor;
  onEdit(editor: Editor): void;
  label: string;
  placeholder: string;
  mask?: string | undefined;
  columns: number;
  level?: KeyLevel;
  /** Whether the field takes keys. */
  isActive?: boolean;
};

/** An editor with this text, and the cursor behind it. */
export function editorOf(value: string): Editor {
  const text = sanitizeLine(value);
  return { ...emptyEditor, text, cursor: text.length };
}

export function Field(props: FieldProps): ReactNode {
  const { editor, label, placeholder, mask, columns, level = "field", isActive = true } = props;
  const { text, cursor } = editor;
  const { stdin } = useStdin();
  /** The text as ink-text-input last reported it. */
  const reported = useRef(text);
  const [edition, setEdition] = useState(0);
  /** After mounting: the text before the cursor, since ink-text-input starts with the cursor at the end. */
  const [start, setStart] = useState<string | null>(null);
  useLayoutEffect(() => setStart(null), [edition]);
  useKeys(
    (event, isLate) => {
      if (isLate || event.type === "mouse") return false;
      const typed = sanitizeLine(inOneLine(event.text));
      const edited = editByKey(editor, toChord(event), typed);
      if (edited === null) return event.type === "paste";
      const key = keyFor(editor, edited);
      reported.current = text;
      if (key !== null && stdin instanceof FieldInput) stdin.send(key);
      if (key === null || reported.current !== edited.text) {
        setEdition(edition + 1);
        setStart(edited.text.slice(0, edited.cursor));
      }
      props.onEdit(edited);
      return true;
    },
    level,
    { isActive },
  );
  const room = Math.max(1, columns - Bun.stringWidth(label));
  const hide = (part: string): string =>
    mask === undefined ? part : mask.repeat([...graphemes(part)].length);
  /** Highlights the character at the cursor: of the text, or of the placeholder. */
  const withCursor = (): string => {
    const end = nextGrapheme(text || placeholder, cursor);
    if (text === "")
      return chalk.inverse(placeholder.slice(0, end) || " ") + chalk.gray(placeholder.slice(end));
    const before = hide(text.slice(0, cursor));
    const at = chalk.inverse(hide(text.slice(cursor, end)) || " ");
    return around(before + at + hide(text.slice(end)), Bun.stringWidth(before), room);
  };
  return (
    <Box height={1} flexShrink={0} aria-role="textbox">
      <Styled role="accent">{label}</Styled>
      <Box width={room} height={1} overflow="hidden">
        <Box width={Math.max(room, Bun.stringWidth(text) + 1)} flexShrink={0}>
          {/* For screen readers, Ink transforms only what is inside a text. */}
          <Text>
            <Transform transform={withCursor}>
              <TextInput
                key={edition}
                value={start ?? text}
                placeholder={placeholder || " "}
                focus={isActive}
                onChange={(value) => {
                  reported.current = value;
                }}
              />
            </Transform>
          </Text>
        </Box>
      </Box>
    </Box>
  );
}

/** The key that makes the same edit in ink-text-input; null: none does. */
function keyFor({ text, cursor }: Editor, next: Editor): string | null {
  const moved = next.cursor - cursor;
  const [before, after] = [text.slice(0, cursor), text.slice(cursor)];
  const typed = next.text.slice(cursor, next.cursor);
  if (next.text === text) return { "-1": "\x1b[D", "0": "", "1": "\x1b[C" }[moved] ?? null;
  if (moved > 0 && next.text === before + typed + after) return typed;
  return moved === -1 && next.text === before.slice(0, -1) + after ? "\x7f" : null;
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
  const { label, placeholder = "", mask, value = "", onEnter, onEscape } = line;
  const [editor, setEditor] = useState(() => editorOf(value));
  useKeys((event, isLate) => {
    const chord = isLate ? "" : toChord(event);
    if (chord === "enter") onEnter(editor.text.trim());
    else if (chord === "escape") onEscape(editor.text.trim());
    else return false;
    return true;
  }, level);
  return (
    <Field
      editor={editor}
      onEdit={setEditor}
      label={label}
      placeholder={placeholder}
      mask={mask}
      columns={columns}
      level={level === "panel" ? "field" : level}
    />
  );
}

/** Crops a long line to `room` columns around the cursor. */
function around(line: string, cursor: number, room: number): string {
  const width = Bun.stringWidth(line);
  const from = Math.max(0, Math.min(cursor - Math.floor(room / 2), width - room));
  return width <= room ? line : Bun.sliceAnsi(line, from, from + room);
}

/** Joins the lines of a paste; terminals send line breaks as carriage returns. */
const inOneLine = (text: string): string =>
  text.replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/[\r\n]+/g, " ");
