import { type ReactNode, useRef, useState } from "react";
import { takeStart } from "../../base/clip.ts";
import { counted, errorMessage } from "../../base/format.ts";
import { shellQuote } from "../../base/shell-quote.ts";
import { type Line, span } from "../spans.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useServices, useSource, useStore } from "../screen-context.ts";
import type { Shared } from "../shared.ts";
import { formatAge, shortTokens, showBytes, showUsd } from "../transcript/format.ts";
import type { SessionSummary, SessionWork } from "../types.ts";
import { ListPanel } from "./list-panel.tsx";
import { useLoading } from "./use-loading.ts";

export function SessionPanel(): ReactNode {
  const { screen } = useSource();
  const { nowMs } = useStore();
  const services = useServices();
  const [isHere, setHere] = useState(true);
  const found = useLoading(
    () => services.sessions(isHere ? "here" : "everywhere"),
    "Looking for sessions …",
    [isHere],
  );
  const workOf = useWork();
  return (
    <ListPanel
      title={isHere ? "Sessions in this folder" : "Sessions in all folders"}
      hint={`Enter open · Tab ${isHere ? "all folders" : "this folder"} · Esc close`}
      empty={found.value ? "No sessions here yet." : found.message}
      items={found.value ?? []}
      lines={(summary) => [sessionLine(summary, screen.session, nowMs)]}
      footer={(chosen) => (chosen ? [workOf(chosen)] : [])}
      keys={{ tab: () => setHere(!isHere) }}
      closes
      onChoose={(summary) => openSession(screen, summary)}
    />
  );
}

/** Footer line of the selected session; the log is read on first use. */
function useWork(): (summary: SessionSummary) => Line {
  const { store } = useSource().screen;
  const [lines, setLines] = useState<ReadonlyMap<string, string>>(new Map());
  const asked = useRef(new Set<string>());
  return (summary) => {
    const { session } = summary;
    if (!asked.current.has(session)) {
      asked.current.add(session);
      void summary
        .readWork()
        .then((work) => describeWork(work, summary), errorMessage)
        .then((line) => setLines((known) => new Map([...known, [session, sanitizeLine(line)]])))
        .then(store.redraw);
    }
    return span("dim", lines.get(session) ?? "Reading the session …");
  };
}

const describeWork = ({ turns, usd }: SessionWork, { bytes }: SessionSummary): string =>
  [turns === null ? "" : counted(turns, "turn"), usd > 0 ? showUsd(usd) : "", showBytes(bytes)]
    .filter(Boolean)
    .join(" · ");

function openSession(
  { actions, session: facts }: Pick<Shared, "actions" | "session">,
  { session, busy, cwd, isHomeless }: SessionSummary,
): void {
  if (session === facts.session) return;
  if (cwd !== facts.cwd && !isHomeless) {
    const command = `cd ${shellQuote(cwd)} && mini-claude --resume ${session}`;
    actions.copy(command, "command");
    actions.notify(`This session belongs to another folder. Copied: ${sanitizeLine(command)}`);
  } else if (busy) actions.notify(`${session} is open in another terminal; close it there first.`);
  else actions.open({ kind: "session", session });
}

/** Age, folder (if different), title, first words and context size. Pure. */
function sessionLine(
  { session, title, firstPrompt, at, usedTokens, cwd, busy, isHomeless }: SessionSummary,
  current: { session: string; cwd: string },
  nowMs: number,
): string {
  const age = formatAge(at, nowMs);
  const state = session === current.session ? "this one · " : busy ? "open elsewhere · " : "";
  const gone = isHomeless ? " (gone: Enter continues here)" : "";
  const folder = cwd === current.cwd ? "" : `${sanitizeLine(cwd)}${gone}  `;
  const name = sanitizeLine(title) || "(no title)";
  const words = sanitizeLine(firstPrompt);
  const first = words === "" || words.startsWith(name) ? "" : ` · ${takeStart(words, 80)}`;
  const size = usedTokens === null ? "" : ` · ${shortTokens(usedTokens)} tokens`;
  return `${age}  ${state}${folder}${name}${first}${size}`;
}
