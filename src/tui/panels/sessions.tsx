/** Earlier sessions of this folder, to open one of them here. */

import { useEffect, useState } from "react";
import { sanitiseLine } from "../sanitise.ts";
import type { PartProps, SessionSummary } from "../types.ts";
import { showAge } from "./age.ts";
import { Picker } from "./picker.tsx";

export function SessionPicker(props: PartProps) {
  const { options, dispatch, open, theme, columns, rows, nowMs } = props;
  const [sessions, setSessions] = useState<SessionSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { services } = options;
  useEffect(() => {
    let isGone = false;
    (services.sessions?.() ?? Promise.resolve([])).then(
      (list) => !isGone && setSessions(list),
      (error: unknown) =>
        !isGone && setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isGone = true;
    };
  }, [services]);
  const take = ({ session, busy }: SessionSummary): void => {
    dispatch({ type: "panel", panel: null });
    if (session === options.session) return;
    if (!busy) return open({ kind: "session", session });
    const text = `${session} is open elsewhere; it can be opened here when it is closed there.`;
    dispatch({ type: "flash", text, untilMs: nowMs + 6_000 });
  };
  const waiting = problem === null ? "Looking for sessions …" : sanitiseLine(problem);
  return (
    <Picker
      title="Sessions of this folder"
      hint="Enter opens it here · type to search · Esc closes"
      none={sessions === null ? waiting : "There is no session here yet."}
      choices={(sessions ?? [])
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .map((summary) => ({
          value: summary,
          line: sessionLine(summary, options.session, nowMs),
        }))}
      onChoose={take}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

/** Pure: age, size, title, and whether somebody has it open. */
export function sessionLine(
  { session, title, at, messages, busy }: SessionSummary,
  current: string,
  nowMs: number,
): string {
  const age = showAge(nowMs - (Date.parse(at) || nowMs)).padStart(4);
  const state = session === current ? "this one  " : busy ? "open elsewhere  " : "";
  const size = `${messages} ${messages === 1 ? "entry" : "entries"}`.padStart(14);
  return `${age} ${size}  ${state}${sanitiseLine(title) || "(no title)"}  ${session}`;
}
