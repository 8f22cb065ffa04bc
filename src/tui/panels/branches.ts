/** Branches that rewinds left, to switch to. */

import { takeStart } from "../../protocol/clip.ts";
import { counted } from "../../protocol/in-words.ts";
import { textOf } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { itemsOf } from "../list.ts";
import { Memo } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { ageOf } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

/** `tip`: its last entry; `messages`: the user's. */
type Branch = { tip: Entry; messages: number; last: string };

export function branchPanel(host: Host): PanelModel {
  const memo = new Memo<Branch[]>();
  return new ListPanel<Branch>(host, {
    content: () => ({
      title: "Switch to a branch",
      hint: "Enter switch; the current line is kept as a branch, files unchanged · Esc close",
      empty: "Nothing was rewound in this session.",
      items: memo.get([host.state.branches], () => branchesIn([...itemsOf(host.state.branches)])),
    }),
    lines: ({ tip, messages, last }) => [
      `${ageOf(tip.at, host.nowMs)}  ${counted(messages, "message")}, last: ${last}`,
    ],
    onChoose({ tip }) {
      host.send({ type: "rewind", to: tip.id, conversation: true, files: false });
      host.dispatch({ type: "panel", panel: null });
    },
  });
}

/** Ends of the branches, newest first, each with its last message. Pure. */
function branchesIn(branches: readonly Entry[]): Branch[] {
  const byId = new Map(branches.map((entry) => [entry.id, entry]));
  const parents = new Set(branches.map(({ parent }) => parent));
  const tips = branches.filter(({ id }) => !parents.has(id));
  return tips.reverse().flatMap((tip): Branch[] => {
    const messages = lineOf(tip, byId).filter((entry) => entry.type === "user");
    const [last] = messages;
    // A branch without a message has nothing to return to.
    if (!last) return [];
    const words = sanitizeLine(textOf(last.content)) || "(an image)";
    return [{ tip, messages: messages.length, last: takeStart(words, 200) }];
  });
}

/** The entries from a tip back to where its branch began. */
function lineOf(tip: Entry, byId: ReadonlyMap<string, Entry>): Entry[] {
  const line: Entry[] = [];
  for (let at: Entry | undefined = tip; at; at = byId.get(at.parent ?? "")) line.push(at);
  return line;
}
