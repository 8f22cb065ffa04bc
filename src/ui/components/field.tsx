/**
 * A text field: ink-text-input shows the text or the placeholder, and the prompt's editor takes the keys. The
 * package's own editing loses keys that arrive in one read, and splits characters of several UTF-16 units.
 */

import chalk from "chalk";
import { Box, Text, Transform } from "ink";
import TextInput from "ink-text-input";
import { type ReactNode, useState } from "react";
import { graphemes } from "../../base/clip.ts";
import type { KeyLevel } from "../use-keys.ts";
import { toChord } from "../keys.ts";
import { editByKey, type Editor, emptyEditor, nextGrapheme } from "../prompt/editor.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useKeys } from "../use-keys.ts";
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
  useKeys(
    (event, isLate) => {
      if (isLate || event.type === "mouse") return false;
      const text = sanitizeLine(inOneLine(event.text));
      const edited = editByKey(editor, toChord(event), text);
      if (edited) props.onEdit(edited);
      return edited !== null || event.type === "paste";
    },
    level,
    { isActive },
  );
  const { text, cursor } = editor;
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
                value={text}
                placeholder={placeholder || " "}
                focus={false}
                onChange={() => undefined}
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
