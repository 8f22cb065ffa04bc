/** Back to before one of the user's messages: the conversation, the files, or both. */

import { takeStart } from "../../protocol/clip.ts";
import { counted } from "../../protocol/in-words.ts";
import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { itemsOf } from "../list.ts";
import { Memo } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { ageOf } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";
import { ReaderPanel, textContent } from "./reader-panel.ts";

const scopes = [
  { name: "the conversation", conversation: true, files: false },
  { name: "the files", conversation: false, files: true },
  { name: "the conversation and the files", conversation: true, files: true },
] as const;

/** One of the user's messages; `files`: how many have changed since. */
type Target = { message: EntryOf<"user">; files: number };

export function rewindPanel(host: Host, query: string): PanelModel {
  const memo = new Memo<Target[]>();
  let at = 0;
  const scope = () => scopes[at % scopes.length] ?? scopes[0];

  const rewind = (message: EntryOf<"user">): void => {
    const { conversation, files } = scope();
    host.send({ type: "rewind", to: message.parent, conversation, files });
    if (conversation) host.setPrompt(textOf(message.content));
    host.dispatch({ type: "panel", panel: null });
  };
  const choose = async (message: EntryOf<"user">): Promise<void> => {
    const { previewRewind } = host.options.services;
    const lines = scope().files ? await previewRewind(message.parent) : [];
    if (lines.length === 0) return rewind(message);
    const shown = lines.map(sanitizeLine);
    list.opened = new ReaderPanel(host, {
      keys: { enter: () => rewind(message) },
      content: () => textContent("Rewind these files", "Enter rewind · Esc cancel", shown),
    });
    host.redraw();
  };
  const list: ListPanel<Target> = new ListPanel<Target>(host, {
    query,
    keys: { tab: () => at++ },
    content: () => ({
      title: `Rewind ${scope().name} to before a message`,
      hint: "Enter rewind · Tab conversation, files, both · type to search · Esc cancel",
      empty: "No messages yet.",
      items: memo.get([host.state.path], () => targetsIn(itemsOf(host.state.path))),
    }),
    lines: (target) => [lineOf(target, host.nowMs)],
    onChoose: ({ message }) => void choose(message).catch(host.report),
  });
  return list;
}

/** Newest first. Pure. */
function targetsIn(path: Iterable<Entry>): Target[] {
  const changed = new Set<string>();
  return [...path].reverse().flatMap((entry): Target[] => {
    if (entry.type === "checkpoint") for (const { path: file } of entry.files) changed.add(file);
    return entry.type === "user" ? [{ message: entry, files: changed.size }] : [];
  });
}

function lineOf({ message, files }: Target, nowMs: number): string {
  const words = sanitizeLine(textOf(message.content)) || "(an image)";
  const since = files === 0 ? "" : `  (${counted(files, "file")} changed since)`;
  return `${ageOf(message.at, nowMs)}  ${takeStart(words, 200)}${since}`;
}
