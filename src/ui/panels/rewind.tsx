import { type ReactNode, useMemo, useState } from "react";
import { counted } from "../../base/format.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices, useStore } from "../screen-context.ts";
import { formatAge, messageText, typedText } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.tsx";
import { TextPanel } from "./text-panel.tsx";

const scopes = [
  { name: "the conversation", conversation: true, files: false },
  { name: "the files", conversation: false, files: true },
  { name: "the conversation and the files", conversation: true, files: true },
] as const;

/** Goes back to before a message, or to the end of a branch that an earlier rewind left. */
export function RewindPanel({ argument: query }: { argument: string }): ReactNode {
  const { state, nowMs } = useStore();
  const { send, show, setPrompt, report } = useActions();
  const { previewRewind } = useServices();
  const [at, setAt] = useState(0);
  /** File changes to confirm before a rewind. */
  const [preview, setPreview] = useState<{ target: Target; lines: string[] } | null>(null);
  const branches = useMemo(() => listBranches([...state.branches]), [state.branches]);
  const messages = useMemo(() => listMessages(state.path), [state.path]);
  const { name, conversation, files } = scopes[at % scopes.length] ?? scopes[0];

  function rewind({ to, typed }: Target, unsure?: true): void {
    const isBranch = typed === null;
    const more = unsure ? { unsure } : {};
    send({ type: "rewind", to, conversation: conversation || isBranch, files, ...more });
    if (conversation && !isBranch) setPrompt(typed);
    show(null);
  }

  async function choose(target: Target): Promise<void> {
    const lines = files ? await previewRewind(target.to) : [];
    if (lines.length === 0) rewind(target);
    else setPreview({ target, lines: lines.map(sanitizeLine) });
  }

  return (
    <ListPanel
      title={`Rewind ${name} to before a message`}
      hint="Enter rewind; what follows is kept as a branch · Tab conversation, files, both · Esc close"
      empty="No messages yet."
      items={[...branches, ...messages]}
      {...(branches.length > 0 && { group: groupOf })}
      start={branches.length}
      lines={({ at: date, text }) => [`  ${formatAge(date, nowMs)}  ${text}`]}
      query={query}
      keys={{ tab: () => setAt(at + 1) }}
      onChoose={(target) => void choose(target).catch(report)}
      opened={
        preview && (
          <Preview lines={preview.lines} rewind={(unsure) => rewind(preview.target, unsure)} />
        )
      }
      onBack={() => setPreview(null)}
    />
  );
}

type PreviewProps = { lines: readonly string[]; rewind(unsure?: true): void };

function Preview({ lines, rewind }: PreviewProps): ReactNode {
  const isUnsure = lines.some((line) => line.startsWith("Leave "));
  return (
    <TextPanel
      title="Rewind these files"
      hint={`Enter rewind · ${isUnsure ? "a also rewind the files left alone · " : ""}Esc back`}
      lines={lines}
      keys={{ enter: () => rewind(), ...(isUnsure && { a: () => rewind(true) }) }}
    />
  );
}

/** `to`: the entry that becomes the last one. `typed`: the message, for the prompt; null: a branch. */
type Target = { to: EntryId | null; at: string; text: string; typed: string | null };

const groupOf = ({ typed }: Target): string =>
  typed === null ? "Branches left by rewinds" : "Messages";

/** Messages of the user, newest first, with the number of files changed since. Pure. */
function listMessages(path: Iterable<Entry>): Target[] {
  const changed = new Set<string>();
  return [...path].reverse().flatMap((entry): Target[] => {
    if (entry.type === "checkpoint") for (const { path: file } of entry.files) changed.add(file);
    if (entry.type !== "user") return [];
    const since = changed.size === 0 ? "" : `${counted(changed.size, "file")} changed since · `;
    const text = since + messageText(entry);
    return [{ to: entry.parent, at: entry.at, text, typed: typedText(entry) }];
  });
}

/** Ends of the branches, newest first, each with its last message. Pure. */
function listBranches(branches: readonly Entry[]): Target[] {
  const byId = new Map(branches.map((entry) => [entry.id, entry]));
  const parents = new Set(branches.map(({ parent }) => parent));
  const tips = branches.filter(({ id }) => !parents.has(id));
  return tips.reverse().flatMap((tip): Target[] => {
    const messages = backFrom(tip, byId).filter((entry) => entry.type === "user");
    const [last] = messages;
    const turns = counted(messages.filter(({ midTurn }) => !midTurn).length, "turn");
    // Skip branches without a message.
    const text = last && `${turns}, last: ${messageText(last)}`;
    return text === undefined ? [] : [{ to: tip.id, at: tip.at, text, typed: null }];
  });
}

function backFrom(tip: Entry, byId: ReadonlyMap<string, Entry>): Entry[] {
  const line: Entry[] = [];
  for (let at: Entry | undefined = tip; at; at = byId.get(at.parent ?? "")) line.push(at);
  return line;
}
