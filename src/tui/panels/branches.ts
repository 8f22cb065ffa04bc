/** Branches that rewinds left, to switch to. */

import { takeStart } from "../../protocol/clip.ts";
import { counted } from "../../protocol/in-words.ts";
import { textOf } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { itemsOf } from "../list.ts";
import { Memo } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { ageOf } from "./age.ts";
import { ListPanel, type ListItem } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

export function branchPanel(host: Host): PanelModel {
  const items = new Memo<ListItem<Entry>[]>();
  return new ListPanel<Entry>(host, {
    content() {
      const { branches } = host.state;
      const all = items.get([branches], () => branchItems([...itemsOf(branches)], host.nowMs));
      return {
        title: "Switch to a branch",
        hint: "Enter switch; the current line is kept as a branch, files unchanged · Esc close",
        empty: "Nothing was rewound in this session.",
        items: all,
      };
    },
    onChoose(tip) {
      host.send({ type: "rewind", to: tip.id, conversation: true, files: false });
      host.dispatch({ type: "panel", panel: null });
    },
  });
}

/** Ends of the branches, newest first, each with its last message. Pure. */
function branchItems(branches: readonly Entry[], nowMs: number): ListItem<Entry>[] {
  const byId = new Map(branches.map((entry) => [entry.id, entry]));
  const parents = new Set(branches.map(({ parent }) => parent));
  const tips = branches.filter(({ id }) => !parents.has(id));
  return tips.reverse().flatMap((tip): ListItem<Entry>[] => {
    const messages = lineOf(tip, byId).filter((entry) => entry.type === "user");
    const [last] = messages;
    // A branch that was only looked at has nothing to go back to.
    if (!last) return [];
    const age = ageOf(tip.at, nowMs);
    const count = counted(messages.length, "message");
    const words = sanitizeLine(textOf(last.content)) || "(an image)";
    return [{ value: tip, lines: [`${age}  ${count}, last: ${takeStart(words, 200)}`] }];
  });
}

/** The entries from a tip back to where its branch began. */
function lineOf(tip: Entry, byId: ReadonlyMap<string, Entry>): Entry[] {
  const line: Entry[] = [];
  for (let at: Entry | undefined = tip; at; at = byId.get(at.parent ?? "")) line.push(at);
  return line;
}
