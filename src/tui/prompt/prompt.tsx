/** Draws the prompt: what may be completed, the text, and the cursor where an input method wants it. */

import { Box, Text, useCursor } from "ink";
import { useEffect } from "react";
import type { KeyMap } from "../../config/keys.ts";
import { commands } from "../commands.ts";
import { layoutQueue } from "../panels/queue.ts";
import { useColdCacheNotice } from "../panels/cold-cache-notice.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import type { PanelProps } from "../types.ts";
import { fit, wrapWords } from "../wrap.ts";
import { usePrompt, type Choices } from "./use-prompt.ts";
import { wrapText } from "./wrap-text.ts";

type PromptProps = PanelProps & {
  keys: KeyMap;
  /** A dialog or panel has the keys. */
  covered: boolean;
  /** Screen row of the first line. */
  top: number;
  onHeight(rows: number): void;
  /** Whether there is a text that was not sent. */
  onTyping(typing: boolean): void;
};

const mostRows = 10;
const mark = "❯ ";

export function Prompt(props: PromptProps) {
  const { state, theme, columns, rows, covered, top, onHeight, onTyping } = props;
  const width = Math.max(4, columns - mark.length);
  const { editor, choices, selection } = usePrompt({ ...props, width });
  const { setCursorPosition } = useCursor();
  const notice = useColdCacheNotice(props, covered);

  const { lines, row, column } = wrapText(editor.text, editor.cursor, width);
  const height = Math.max(1, Math.min(mostRows, rows, lines.length));
  const from = Math.max(0, Math.min(row - height + 1, lines.length - height));
  const room = Math.max(0, Math.min(6, rows - height));
  const above = choices
    ? choiceLines(choices, room, columns, theme)
    : [
        ...layoutQueue(state.queue, columns).map((line) => theme.paint("dim", line)),
        ...(notice === null
          ? []
          : wrapWords(notice, columns).map((line) => theme.paint("warning", line))),
      ].slice(0, room);
  const typing = editor.text !== "";
  useEffect(() => onTyping(typing), [typing, onTyping]);
  useEffect(() => onHeight(height + above.length), [height, above.length, onHeight]);

  const hidden = covered || state.focus !== "prompt";
  setCursorPosition(
    hidden ? undefined : { x: mark.length + column, y: top + above.length + row - from },
  );

  const hint =
    state.asks.length > 0
      ? "the question above comes first"
      : state.phase === "idle"
        ? "ask, or / for commands, ! for the shell, @ for files"
        : "type ahead; it is sent at the next boundary";
  /** A line of the text, what vim selected in it marked. */
  const shown = (text: string, start: number): string => {
    const from = Math.max(0, (selection?.from ?? 0) - start);
    const to = (selection?.to ?? 0) - start;
    if (to <= from || from >= text.length) return sanitise(text);
    const marked = theme.paint("selected", sanitise(text.slice(from, to)));
    return sanitise(text.slice(0, from)) + marked + sanitise(text.slice(to));
  };
  return (
    <Box flexDirection="column" width={columns} flexShrink={0}>
      {above.map((line, index) => (
        <Text key={index} wrap="truncate">
          {line}
        </Text>
      ))}
      {lines.slice(from, from + height).map(({ text, start }, index) => (
        <Text key={start} wrap="truncate">
          {theme.paint("user", from + index === 0 ? mark : "  ")}
          {editor.text === "" ? theme.paint("dim", fit(hint, width - 1)) : shown(text, start)}
        </Text>
      ))}
    </Box>
  );
}

/** The choices around the one that Tab would take. */
function choiceLines(choices: Choices, room: number, columns: number, theme: Theme): string[] {
  const { list, at } = choices;
  const from = Math.max(0, Math.min(at - room + 1, list.length - room));
  return list
    .slice(from, from + room)
    .map((choice, index) =>
      theme.paint(
        from + index === at ? "selected" : "dim",
        fit(`  ${describe(choice, choices)}`, columns),
      ),
    );
}

function describe(choice: string, choices: Choices): string {
  if (choices.wanted.kind === "history") return sanitiseLine(choice);
  if (choices.wanted.kind === "file") return sanitiseLine(choice);
  return `/${choice.padEnd(14)} ${commands.find(({ name }) => name === choice)?.help ?? ""}`;
}
