/** Earlier sessions, of this folder or of all folders: one of them is opened. */

import { takeStart } from "../../base/clip.ts";
import { counted } from "../../base/in-words.ts";
import { shellQuote } from "../../base/shell-quote.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { ageOf } from "../transcript/format.ts";
import type { SessionSummary } from "../types.ts";
import { listPanel } from "./list-panel.ts";
import { loading, type PanelModel } from "./panel.ts";

export function sessionPanel(host: Host): PanelModel {
  const { options } = host;
  const load = (where: "here" | "everywhere") => ({
    where,
    list: loading(host, options.services.sessions(where), "Looking for sessions …"),
  });
  let sessions = load("here");
  return listPanel<SessionSummary>(host, {
    keys: {
      tab: () => (sessions = load(sessions.where === "here" ? "everywhere" : "here")),
    },
    content() {
      const { where, list } = sessions;
      const isHere = where === "here";
      const newestFirst = (list.value ?? []).toSorted((a, b) => b.at.localeCompare(a.at));
      return {
        title: isHere ? "Sessions in this folder" : "Sessions in all folders",
        hint: `Enter open · Tab ${isHere ? "all folders" : "this folder"} · type to search · Esc close`,
        empty: list.value ? "No sessions here yet." : list.message,
        items: newestFirst,
      };
    },
    lines: (summary) => [sessionLine(summary, options, host.nowMs)],
    onChoose: (summary) => choose(host, summary),
  });
}

function choose(host: Host, { session, busy, cwd }: SessionSummary): void {
  const { options } = host;
  host.dispatch({ type: "panel", panel: null });
  if (session === options.session) return;
  if (cwd !== options.cwd) {
    const command = `cd ${shellQuote(cwd)} && mini-claude --resume ${session}`;
    host.copy(command);
    return host.flash(`This session belongs to another folder. Copied: ${sanitizeLine(command)}`);
  }
  if (busy) return host.flash(`${session} is open in another terminal; close it there first.`);
  host.open({ kind: "session", session });
}

/** Age, folder if it is another one, title, first words and length. Pure. */
export function sessionLine(
  { session, title, firstPrompt, at, messages, cwd, busy }: SessionSummary,
  current: { session: string; cwd: string },
  nowMs: number,
): string {
  const age = ageOf(at, nowMs);
  const state = session === current.session ? "this one  " : busy ? "open elsewhere  " : "";
  const folder = cwd === current.cwd ? "" : `${sanitizeLine(cwd)}  `;
  const name = sanitizeLine(title) || "(no title)";
  const words = sanitizeLine(firstPrompt);
  const first = words === "" || words.startsWith(name) ? "" : ` · ${takeStart(words, 80)}`;
  return `${age}  ${state}${folder}${name}${first} · ${counted(messages, "entry")}`;
}
