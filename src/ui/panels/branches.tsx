import { type ReactNode, useMemo, useState } from "react";
import { counted } from "../../base/format.ts";
import type { Entry } from "../../protocol/entry.ts";
import { useActions, useStore } from "../screen-context.ts";
import { formatAge, messageText } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.tsx";

export function BranchPanel(): ReactNode {
  const { state, nowMs } = useStore();
  const { send } = useActions();
  const [files, setFiles] = useState(false);
  const branches = useMemo(() => listBranches([...state.branches]), [state.branches]);
  return (
    <ListPanel
      title={`Switch to a branch, ${files ? "with its files" : "files unchanged"}`}
      hint="Enter switch; the current line is kept as a branch · Tab with its files or without · Esc close"
      empty="Nothing was rewound in this session."
      items={branches}
      lines={({ tip, turns, last }) => [
        `${formatAge(tip.at, nowMs)}  ${counted(turns, "turn")}, last: ${last}`,
      ]}
      keys={{ tab: () => setFiles(!files) }}
      closes
      onChoose={({ tip }) => send({ type: "rewind", to: tip.id, conversation: true, files })}
    />
  );
}

/** `tip`: its last entry. */
type Branch = { tip: Entry; turns: number; last: string };

/** Ends of the branches, newest first, each with its last message. Pure. */
function listBranches(branches: readonly Entry[]): Branch[] {
  const byId = new Map(branches.map((entry) => [entry.id, entry]));
  const parents = new Set(branches.map(({ parent }) => parent));
  const tips = branches.filter(({ id }) => !parents.has(id));
  return tips.reverse().flatMap((tip): Branch[] => {
    const messages = backFrom(tip, byId).filter((entry) => entry.type === "user");
    const [last] = messages;
    const turns = messages.filter(({ midTurn }) => !midTurn).length;
    // Skip branches without a message.
    return last ? [{ tip, turns, last: messageText(last) }] : [];
  });
}

function backFrom(tip: Entry, byId: ReadonlyMap<string, Entry>): Entry[] {
  const line: Entry[] = [];
  for (let at: Entry | undefined = tip; at; at = byId.get(at.parent ?? "")) line.push(at);
  return line;
}
