/** What rewinds left behind, to go back to. */

import { useMemo } from "react";
import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { itemsOf } from "../list.ts";
import { sanitiseLine } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { showAge } from "./age.ts";
import { Picker, type Choice } from "./picker.tsx";

export function BranchPicker({ state, dispatch, send, theme, columns, rows, nowMs }: PanelProps) {
  const choices = useMemo(
    () => branchChoices([...itemsOf(state.branches)], nowMs),
    // Ages of messages need not tick.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [state.branches],
  );
  return (
    <Picker
      title="Go back to a branch"
      hint="Enter goes there, this way becomes a branch; files stay · type to search · Esc closes"
      none="Nothing was rewound in this session."
      choices={choices}
      onChoose={(tip) => {
        send({ type: "rewind", to: tip.id, conversation: true, files: false });
        dispatch({ type: "panel", panel: null });
      }}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

/** Ends of the ways that are not gone now, newest first, each with the last that was said on it. Pure. */
export function branchChoices(branches: readonly Entry[], nowMs: number): Choice<Entry>[] {
  const byId = new Map(branches.map((entry) => [entry.id, entry]));
  const parents = new Set(branches.map(({ parent }) => parent));
  const tips = branches.filter(({ id }) => !parents.has(id));
  return tips.reverse().flatMap((tip): Choice<Entry>[] => {
    const own: Entry[] = [];
    for (
      let at: Entry | undefined = tip;
      at;
      at = at.parent === null ? undefined : byId.get(at.parent)
    )
      own.push(at);
    const asked = own.filter((entry): entry is EntryOf<"user"> => entry.type === "user");
    const [last] = asked;
    // A way that was only looked at holds nothing to go back to.
    if (!last) return [];
    const age = showAge(nowMs - (Date.parse(tip.at) || nowMs)).padStart(4);
    const count = `${asked.length} ${asked.length === 1 ? "message" : "messages"}`;
    const words = sanitiseLine(textOf(last.content)) || "(an image)";
    return [{ value: tip, line: `${age}  ${count}, the last: ${words.slice(0, 200)}` }];
  });
}
