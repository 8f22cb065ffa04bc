/** Rewinds the conversation, the files or both to before one of the user's messages. */

import { useMemo } from "react";
import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { useKeys } from "../input.tsx";
import { useLatest } from "../use-latest.ts";
import { itemsOf } from "../list.ts";
import { sanitiseLine } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { showAge } from "./age.ts";
import { Frame } from "./frame.tsx";
import { Picker, type Choice } from "./picker.tsx";

const scopes = [
  { name: "the conversation", conversation: true, files: false },
  { name: "the files", conversation: false, files: true },
  { name: "the conversation and the files", conversation: true, files: true },
] as const;

export function RewindPicker(props: PanelProps) {
  const { state, dispatch, send, options, theme, columns, rows, nowMs } = props;
  const scope = useLatest(0);
  /** The message to rewind to and what that does to the files, once it was chosen. */
  const preview = useLatest<{ message: EntryOf<"user">; lines: string[] } | null>(null);
  const choices = useMemo(
    () => rewindChoices(itemsOf(state.path), nowMs),
    // Ages of messages need not tick.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [state.path],
  );
  const chosen = scopes[scope.get() % scopes.length] ?? scopes[0];
  const rewind = (message: EntryOf<"user">): void => {
    const { conversation, files } = chosen;
    send({ type: "rewind", to: message.parent, conversation, files });
    // The text returns to the prompt, to be edited and sent again.
    if (conversation) dispatch({ type: "draft", text: textOf(message.content) });
    dispatch({ type: "panel", panel: null });
  };
  const choose = async (message: EntryOf<"user">): Promise<void> => {
    const lines = chosen.files ? await options.services.previewRewind?.(message.parent) : [];
    if (lines === undefined || lines.length === 0) rewind(message);
    else preview.set({ message, lines });
  };
  useKeys("dialog", (event) => {
    const shown = preview.get();
    if (!shown || event.type !== "key" || event.chord !== "enter") return false;
    rewind(shown.message);
    return true;
  });
  const shown = preview.get();
  if (shown) {
    return (
      <Frame
        title="Rewind these files"
        hint="Enter rewind · Esc cancel"
        lines={shown.lines.map(sanitiseLine)}
        rows={rows}
        columns={columns}
        theme={theme}
      />
    );
  }
  return (
    <Picker
      title={`Rewind ${chosen.name} to before a message`}
      hint="Enter rewind · Tab conversation, files or both · type to search · Esc cancel"
      none="No messages yet."
      choices={choices}
      onChoose={(message) => void choose(message)}
      onKey={(chord) => {
        if (chord === "tab") scope.set((scope.get() + 1) % scopes.length);
        return chord === "tab";
      }}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

/** The user's messages, newest first, each with the number of files changed after it. Pure. */
export function rewindChoices(path: Iterable<Entry>, nowMs: number): Choice<EntryOf<"user">>[] {
  const changed = new Set<string>();
  return [...path].reverse().flatMap((entry): Choice<EntryOf<"user">>[] => {
    if (entry.type === "checkpoint") for (const { path: file } of entry.files) changed.add(file);
    if (entry.type !== "user") return [];
    const age = showAge(nowMs - (Date.parse(entry.at) || nowMs)).padStart(4);
    const files = changed.size === 0 ? "" : `  (${changed.size} changed since)`;
    const words = sanitiseLine(textOf(entry.content)) || "(an image)";
    return [{ value: entry, line: `${age}  ${words.slice(0, 200)}${files}` }];
  });
}
