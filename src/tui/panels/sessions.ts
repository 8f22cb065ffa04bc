/** Earlier sessions, of this folder or of all folders: one of them is opened. */

import { takeStart } from "../../protocol/clip.ts";
import { counted } from "../../protocol/in-words.ts";
import { shellQuote } from "../../protocol/shell-quote.ts";
import { messageOf, type Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { showBytes } from "../transcript/format.ts";
import type { SessionSummary } from "../types.ts";
import { showAge } from "./age.ts";
import { ListPanel, matching } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

export function sessionPanel(host: Host): PanelModel {
  const { options } = host;
  let isEverywhere = false;
  let sessions: readonly SessionSummary[] = [];
  let empty = "";
  const load = (): void => {
    const where = isEverywhere ? "everywhere" : "here";
    const isCurrent = (): boolean => where === (isEverywhere ? "everywhere" : "here");
    empty = "Looking for sessions …";
    sessions = [];
    (options.services.sessions?.(where) ?? Promise.resolve([])).then(
      (list) => {
        if (!isCurrent()) return;
        sessions = list.toSorted((a, b) => b.at.localeCompare(a.at));
        empty = "No sessions here yet.";
        host.redraw();
      },
      (error: unknown) => {
        if (isCurrent()) empty = sanitizeLine(messageOf(error));
        host.redraw();
      },
    );
  };
  load();
  return new ListPanel<SessionSummary>(host, {
    filter: "typing",
    keys: {
      tab() {
        isEverywhere = !isEverywhere;
        load();
      },
    },
    content: (filter) => ({
      title: isEverywhere ? "Sessions in all folders" : "Sessions in this folder",
      hint: `Enter open · Tab ${isEverywhere ? "this folder" : "all folders"} · type to search · Esc close`,
      empty,
      items: matching(
        sessions.map((summary) => ({
          value: summary,
          lines: [sessionLine(summary, options, host.nowMs)],
        })),
        filter,
      ),
    }),
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

/** Age, size, folder if it is another one, title and first words. Pure. */
export function sessionLine(
  { session, title, firstPrompt, at, messages, bytes, cwd, busy }: SessionSummary,
  current: { session: string; cwd: string },
  nowMs: number,
): string {
  const age = showAge(nowMs - (Date.parse(at) || nowMs)).padStart(4);
  const state = session === current.session ? "this one  " : busy ? "open elsewhere  " : "";
  const size = `${counted(messages, "entry")}, ${showBytes(bytes)}`;
  const folder = cwd === current.cwd ? "" : `${sanitizeLine(cwd)}  `;
  const name = sanitizeLine(title) || "(no title)";
  const words = sanitizeLine(firstPrompt);
  const first = words === "" || words.startsWith(name) ? "" : ` · ${takeStart(words, 80)}`;
  return `${age} ${size.padStart(22)}  ${state}${folder}${name}${first}  ${session}`;
}
