import { type ReactNode, useMemo, useState } from "react";
import { counted } from "../../base/format.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices, useStore } from "../screen-context.ts";
import { formatAge, messageText, typedText } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.tsx";
import { TextPanel } from "./text-panel.tsx";

type Message = EntryOf<"user">;

const scopes = [
  { name: "the conversation", conversation: true, files: false },
  { name: "the files", conversation: false, files: true },
  { name: "the conversation and the files", conversation: true, files: true },
] as const;

export function RewindPanel({ argument: query }: { argument: string }): ReactNode {
  const { state, nowMs } = useStore();
  const { send, show, setPrompt, report } = useActions();
  const { previewRewind } = useServices();
  const [at, setAt] = useState(0);
  /** File changes to confirm before a rewind. */
  const [preview, setPreview] = useState<{ message: Message; lines: string[] } | null>(null);
  const targets = useMemo(() => rewindTargets(state.path), [state.path]);
  const { name, conversation, files } = scopes[at % scopes.length] ?? scopes[0];

  function rewind(message: Message, unsure?: true): void {
    const more = unsure ? { unsure } : {};
    send({ type: "rewind", to: message.parent, conversation, files, ...more });
    if (conversation) setPrompt(typedText(message));
    show(null);
  }

  async function choose({ message }: Target): Promise<void> {
    const lines = files ? await previewRewind(message.parent) : [];
    if (lines.length === 0) rewind(message);
    else setPreview({ message, lines: lines.map(sanitizeLine) });
  }

  return (
    <ListPanel
      title={`Rewind ${name} to before a message`}
      hint="Enter rewind · Tab conversation, files, both · Esc close"
      empty="No messages yet."
      items={targets}
      lines={(target) => [targetLine(target, nowMs)]}
      query={query}
      keys={{ tab: () => setAt(at + 1) }}
      onChoose={(target) => void choose(target).catch(report)}
      opened={preview && <Preview {...preview} rewind={rewind} />}
      onBack={() => setPreview(null)}
    />
  );
}

type PreviewProps = {
  message: Message;
  lines: readonly string[];
  rewind(message: Message, unsure?: true): void;
};

function Preview({ message, lines, rewind }: PreviewProps): ReactNode {
  const isUnsure = lines.some((line) => line.startsWith("Leave "));
  return (
    <TextPanel
      title="Rewind these files"
      hint={`Enter rewind · ${isUnsure ? "a also rewind the files left alone · " : ""}Esc back`}
      lines={lines}
      keys={{
        enter: () => rewind(message),
        ...(isUnsure && { a: () => rewind(message, true) }),
      }}
    />
  );
}

/** A message of the user; `files`: number of files changed since. */
type Target = { message: Message; files: number };

/** Newest first. Pure. */
function rewindTargets(path: Iterable<Entry>): Target[] {
  const changed = new Set<string>();
  return [...path].reverse().flatMap((entry): Target[] => {
    if (entry.type === "checkpoint") for (const { path: file } of entry.files) changed.add(file);
    return entry.type === "user" ? [{ message: entry, files: changed.size }] : [];
  });
}

function targetLine({ message, files }: Target, nowMs: number): string {
  const since = files === 0 ? "" : `${counted(files, "file")} changed since · `;
  return `${formatAge(message.at, nowMs)}  ${since}${messageText(message)}`;
}
