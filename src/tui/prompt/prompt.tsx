/** The prompt: the editor on the screen, with history, completion, chips and the cursor. */

import { Box, Text, useCursor } from "ink";
import { useEffect, useRef, useState } from "react";
import type { KeyMap } from "../../config/keys.ts";
import { useKeys } from "../input.tsx";
import { commands } from "../commands.ts";
import type { PartProps } from "../types.ts";
import { sanitise } from "../sanitise.ts";
import { fit } from "../wrap.ts";
import { imageChip, isLargePaste, textChip, unfold, type Chip } from "./chips.ts";
import { wantedAt, type Wanted } from "./completion.ts";
import { emptyEditor, insert, replaceAll, replaceRange, type Editor } from "./editor.ts";
import { editByKey } from "./keys.ts";
import { verticalMove, wrapText } from "./wrap-text.ts";

type Props = PartProps & {
  keys: KeyMap;
  /** A dialog or panel has the keys. */
  covered: boolean;
  /** Screen row of the prompt's first line. */
  top: number;
  onHeight(rows: number): void;
};

const mostRows = 10;
const mark = "❯ ";

export function Prompt(props: Props) {
  const { state, options, theme, columns, rows, keys, covered, top, onHeight, submit } = props;
  const { services } = options;
  const [editor, setEditor] = useState<Editor>(emptyEditor);
  const [past, setPast] = useState<{ list: string[]; at: number; draft: string } | null>(null);
  const [choices, setChoices] = useState<{ wanted: Wanted; list: string[]; at: number } | null>(
    null,
  );
  const chips = useRef<Chip[]>([]);
  const { setCursorPosition } = useCursor();
  const width = Math.max(4, columns - mark.length);

  useEffect(() => {
    if (state.draft.serial > 0) setEditor((now) => replaceAll(now, state.draft.text));
  }, [state.draft.serial, state.draft.text]);

  const change = (next: Editor): void => {
    setEditor(next);
    setPast(null);
    const wanted = wantedAt(next.text, next.cursor);
    if (!wanted) return setChoices(null);
    void candidates(wanted, services.files).then((list) =>
      setChoices((now) =>
        list.length === 0 ? null : { wanted, list, at: Math.min(now?.at ?? 0, list.length - 1) },
      ),
    );
  };

  const send = (): void => {
    const { text, images } = unfold(editor.text, chips.current);
    if (text.trim() === "" && images.length === 0) return;
    chips.current = [];
    setEditor({ ...emptyEditor, killed: editor.killed });
    setChoices(null);
    setPast(null);
    void services.saveHistory(text);
    submit(text.trim(), images);
  };

  const recall = async (delta: -1 | 1): Promise<void> => {
    const now = past ?? { list: await services.loadHistory(), at: -1, draft: editor.text };
    const at = Math.min(now.list.length - 1, Math.max(-1, now.at - delta));
    const text = at === -1 ? now.draft : (now.list.at(-1 - at) ?? "");
    setPast({ ...now, at });
    setEditor((before) => replaceAll(before, text));
  };

  const accept = (): void => {
    if (!choices) return;
    const { wanted, list, at } = choices;
    const chosen = list[at] ?? "";
    const text = wanted.kind === "file" ? `@${chosen} ` : `/${chosen} `;
    setEditor(replaceRange(editor, wanted.from, wanted.to, text));
    setChoices(null);
  };

  useKeys(
    "popup",
    (event) => {
      if (!choices || event.type !== "key") return false;
      const step = (delta: number): true => {
        setChoices({
          ...choices,
          at: (choices.at + delta + choices.list.length) % choices.list.length,
        });
        return true;
      };
      if (event.chord === "up") return step(-1);
      if (event.chord === "down") return step(1);
      if (event.chord === "escape") setChoices(null);
      else if (event.chord === "tab") accept();
      else if (
        event.chord === "enter" &&
        choices.wanted.kind === "command" &&
        choices.list[choices.at] !== choices.wanted.query
      )
        accept();
      else return false;
      return true;
    },
    choices !== null && !covered,
  );

  useKeys(
    "prompt",
    (event) => {
      if (event.type === "paste") {
        void paste(event.text, services.readImage, chips.current).then((text) =>
          setEditor((now) => insert(now, text)),
        );
        return true;
      }
      if (event.type !== "key") return false;
      const action = keys.actionOf(event.chord);
      if (action === "submit") {
        if (editor.text.endsWith("\\"))
          change(replaceRange(editor, editor.text.length - 1, editor.text.length, "\n"));
        else send();
        return true;
      }
      if (action === "newline") {
        change(insert(editor, "\n"));
        return true;
      }
      if (action === "editor") {
        void props.suspend(async () => {
          const text = await services.edit(unfold(editor.text, chips.current).text);
          setEditor((now) => replaceAll(now, text));
        });
        return true;
      }
      if (event.chord === "up" || event.chord === "down") {
        const delta = event.chord === "up" ? -1 : 1;
        const index = verticalMove(editor.text, editor.cursor, width, delta);
        if (index === null) void recall(delta);
        else setEditor({ ...editor, cursor: index });
        return true;
      }
      if (action === "exit" && editor.text !== "") {
        change({ ...emptyEditor, killed: editor.text });
        return true;
      }
      if (action === "endOfInput" && editor.text === "") return false;
      const next = editByKey(editor, event.chord, event.text);
      if (!next) return false;
      if (next.text === editor.text) setEditor(next);
      else change(next);
      return true;
    },
    !covered,
  );

  const wrapped = wrapText(editor.text, editor.cursor, width);
  const height = Math.max(1, Math.min(mostRows, rows, wrapped.lines.length));
  const first = Math.max(0, Math.min(wrapped.row - height + 1, wrapped.lines.length - height));
  const from = wrapped.row < first ? wrapped.row : first;
  const shownChoices = choices && !covered ? choices.list.slice(0, 6) : [];
  useEffect(() => onHeight(height + shownChoices.length), [height, shownChoices.length, onHeight]);
  const y = top + shownChoices.length + wrapped.row - from;
  setCursorPosition(
    covered || state.focus !== "prompt" ? undefined : { x: mark.length + wrapped.column, y },
  );

  const hint =
    state.phase === "idle"
      ? "ask, or / for commands, ! for the shell, @ for files"
      : "type ahead; it is sent at the next boundary";
  return (
    <Box flexDirection="column" width={columns}>
      {shownChoices.map((choice, index) => (
        <Text key={choice} wrap="truncate">
          {theme.paint(
            index === choices?.at ? "selected" : "dim",
            fit(`  ${describe(choice, choices?.wanted)}`, columns),
          )}
        </Text>
      ))}
      {wrapped.lines.slice(from, from + height).map(({ text, start }, index) => (
        <Text key={start} wrap="truncate">
          {theme.paint("user", from + index === 0 ? mark : "  ")}
          {editor.text === "" ? theme.paint("dim", fit(hint, width - 1)) : sanitise(text)}
        </Text>
      ))}
    </Box>
  );
}

async function candidates(
  wanted: Wanted,
  files: (query: string) => Promise<string[]>,
): Promise<string[]> {
  if (wanted.kind === "file") return (await files(wanted.query)).slice(0, 6);
  return commands.filter(({ name }) => name.startsWith(wanted.query)).map(({ name }) => name);
}

function describe(choice: string, wanted: Wanted | undefined): string {
  if (wanted?.kind !== "command") return choice;
  return `/${choice.padEnd(14)} ${commands.find(({ name }) => name === choice)?.help ?? ""}`;
}

/** What a paste puts into the text: an image's chip for a path to one, a chip for much text, or itself. */
async function paste(
  text: string,
  readImage: PartProps["options"]["services"]["readImage"],
  chips: Chip[],
): Promise<string> {
  const path = text
    .trim()
    .replace(/^['"]|['"]$/g, "")
    .replaceAll("\\ ", " ");
  if (/^[~/.][^\n]*\.(png|jpe?g|gif|webp)$/i.test(path)) {
    const image = await readImage(path);
    if (image) {
      const chip = imageChip(chips.length + 1, image);
      chips.push(chip);
      return chip.label;
    }
  }
  const clean = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (!isLargePaste(clean)) return clean;
  const chip = textChip(chips.length + 1, clean);
  chips.push(chip);
  return chip.label;
}
