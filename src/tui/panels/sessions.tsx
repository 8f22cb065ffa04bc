/** Earlier sessions of this folder, to open one of them here; and those of all folders. */

import { useEffect, useState } from "react";
import { sanitiseLine } from "../sanitise.ts";
import { showBytes } from "../transcript/format.ts";
import type { PanelProps, SessionSummary } from "../types.ts";
import { showAge } from "./age.ts";
import { Picker } from "./picker.tsx";

export function SessionPicker(props: PanelProps) {
  const { options, dispatch, open, copy, theme, columns, rows, nowMs } = props;
  const [where, setWhere] = useState<"here" | "everywhere">("here");
  const [sessions, setSessions] = useState<SessionSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { services } = options;
  useEffect(() => {
    let isGone = false;
    (services.sessions?.(where) ?? Promise.resolve([])).then(
      (list) => !isGone && setSessions(list),
      (error: unknown) =>
        !isGone && setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isGone = true;
    };
  }, [services, where]);
  const take = ({ session, busy, cwd }: SessionSummary): void => {
    dispatch({ type: "panel", panel: null });
    if (session === options.session) return;
    if (!busy && cwd === options.cwd) return open({ kind: "session", session });
    const command = `cd ${quoted(cwd)} && mini-claude --resume ${session}`;
    if (cwd !== options.cwd) copy(command);
    const text =
      cwd === options.cwd
        ? `${session} is open elsewhere; it can be opened here when it is closed there.`
        : `It works in another folder. Copied: ${sanitiseLine(command)}`;
    dispatch({ type: "flash", text, untilMs: nowMs + 6_000 });
  };
  const waiting = problem === null ? "Looking for sessions …" : sanitiseLine(problem);
  return (
    <Picker
      title={where === "here" ? "Sessions of this folder" : "Sessions of all folders"}
      hint={`Enter opens it · Tab ${where === "here" ? "all folders" : "this folder"} · type to search · Esc closes`}
      none={sessions === null ? waiting : "There is no session here yet."}
      choices={(sessions ?? [])
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .map((summary) => ({
          value: summary,
          line: sessionLine(summary, options, nowMs),
        }))}
      onKey={(chord) => {
        if (chord === "tab") setWhere(where === "here" ? "everywhere" : "here");
        return chord === "tab";
      }}
      onChoose={take}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** Pure: age, size, folder where it is another one, title and first words, whether somebody has it open. */
export function sessionLine(
  { session, title, firstPrompt, at, messages, bytes, cwd, busy }: SessionSummary,
  current: { session: string; cwd: string },
  nowMs: number,
): string {
  const age = showAge(nowMs - (Date.parse(at) || nowMs)).padStart(4);
  const state = session === current.session ? "this one  " : busy ? "open elsewhere  " : "";
  const size = `${messages} ${messages === 1 ? "entry" : "entries"}, ${showBytes(bytes)}`;
  const folder = cwd === current.cwd ? "" : `${sanitiseLine(cwd)}  `;
  const name = sanitiseLine(title) || "(no title)";
  const words = sanitiseLine(firstPrompt);
  const first = words === "" || words.startsWith(name) ? "" : ` · ${words.slice(0, 80)}`;
  return `${age} ${size.padStart(22)}  ${state}${folder}${name}${first}  ${session}`;
}
