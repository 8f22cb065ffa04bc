/** Back to before a message of the person's: the conversation, the files, or both. */

import { useMemo } from "react";
import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { useLatest } from "../use-latest.ts";
import { itemsOf } from "../list.ts";
import { sanitiseLine } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { showAge } from "./age.ts";
import { Picker, type Choice } from "./picker.tsx";

const scopes = [
  { name: "the conversation", conversation: true, files: false },
  { name: "the files", conversation: false, files: true },
  { name: "the conversation and the files", conversation: true, files: true },
] as const;

export function RewindPicker(props: PanelProps) {
  const { state, dispatch, send, theme, columns, rows, nowMs } = props;
  const scope = useLatest(0);
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
    // The words come back into the prompt, to be said differently.
    if (conversation) dispatch({ type: "draft", text: textOf(message.content) });
    dispatch({ type: "panel", panel: null });
  };
  return (
    <Picker
      title={`Rewind ${chosen.name} to before a message`}
      hint="Enter rewinds · Tab: conversation, files, both · type to search · Esc leaves all as it is"
      none="There is no message of yours yet."
      choices={choices}
      onChoose={rewind}
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

/** The person's messages, newest first, each with the files that were changed after it. Pure. */
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
