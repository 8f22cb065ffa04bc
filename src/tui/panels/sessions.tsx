/** Earlier sessions of this folder, and the command that opens each. */

import { useEffect, useState } from "react";
import { sanitiseLine } from "../sanitise.ts";
import type { PartProps, SessionSummary } from "../types.ts";
import { showAge } from "./age.ts";
import { Picker } from "./picker.tsx";

export function SessionPicker(props: PartProps) {
  const { options, dispatch, copy, theme, columns, rows, nowMs } = props;
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
  const take = ({ session }: SessionSummary): void => {
    const command = `mini-claude --resume ${session}`;
    copy(command);
    // A session has one writer: this screen keeps its own, and the other opens in another terminal.
    dispatch({ type: "flash", text: `Copied: ${command}`, untilMs: nowMs + 6_000 });
    dispatch({ type: "panel", panel: null });
  };
  const waiting = problem === null ? "Looking for sessions …" : sanitiseLine(problem);
  return (
    <Picker
      title="Sessions of this folder"
      hint="Enter copies the command that opens it · type to search · Esc closes"
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
