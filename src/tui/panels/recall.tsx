/** Everything that was ever said or shown, by its words: to read it again, or to bring it back. */

import { useEffect, useState } from "react";
import type { View } from "../../context/types.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { emptyEditor, insert } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitiseLine } from "../sanitise.ts";
import { badges } from "../transcript/format.ts";
import type { PanelProps, Recalled } from "../types.ts";
import { fit } from "../wrap.ts";
import { showAge } from "./age.ts";
import { describeEntry } from "./describe.ts";
import { Frame } from "./frame.tsx";
import { Reader } from "./reader.tsx";

/** Lines that one hit takes: what it is, and its words. */
const hitLines = 2;

export function RecallPanel(props: PanelProps & { query: string }) {
  const { options, view, dispatch, send, theme, columns, rows, nowMs } = props;
  const { services } = options;
  const query = useLatest(insert(emptyEditor, props.query));
  const where = useLatest<"session" | "project">("session");
  const chosen = useLatest(0);
  const opened = useLatest<Recalled | null>(null);
  const [hits, setHits] = useState<readonly Recalled[] | null>(null);
  const [problem, setProblem] = useState("");
  const words = query.get().text.trim();
  const scope = where.get();
  useEffect(() => {
    let isGone = false;
    const failed = (error: unknown): void =>
      isGone ? undefined : setProblem(error instanceof Error ? error.message : String(error));
    const search = words === "" ? Promise.resolve(null) : services.recall?.(words, scope);
    (search ?? Promise.resolve([])).then((found) => isGone || setHits(found), failed);
    return () => {
      isGone = true;
    };
  }, [words, scope, services]);

  const current = (): Recalled | undefined =>
    hits?.[Math.max(0, Math.min(chosen.get(), hits.length - 1))];
  const close = (): void => dispatch({ type: "panel", panel: null });
  const bringBack = (hit: Recalled | undefined): true => {
    if (!hit) return true;
    if (hit.session !== null) {
      // Of another session: the model opens it by its handle.
      dispatch({ type: "draft", text: `recall ${hit.session}#${hit.entry.id}` });
      close();
      return true;
    }
    send({ type: "recall", entry: hit.entry.id });
    const text = `#${hit.entry.id} comes back at the end of the context, where it breaks no cache.`;
    dispatch({ type: "flash", text, untilMs: nowMs + 5_000 });
    close();
    return true;
  };
  useKeys(
    "dialog",
    (event) => {
      if (event.type === "mouse") return false;
      if (event.type === "paste") {
        query.set(insert(query.get(), sanitiseLine(event.text)));
        return true;
      }
      const { chord, text } = event;
      const step = { up: -1, down: 1, pageup: -5, pagedown: 5 }[chord];
      if (step !== undefined) {
        const most = Math.max(0, (hits?.length ?? 0) - 1);
        chosen.set(Math.max(0, Math.min(most, chosen.get() + step)));
        return true;
      }
      if (chord === "enter") opened.set(current() ?? null);
      else if (chord === "tab") bringBack(current());
      else if (chord === "shift+tab") {
        where.set(scope === "session" ? "project" : "session");
        chosen.set(0);
      } else {
        const edited = chord === "escape" ? null : editByKey(query.get(), chord, text);
        if (!edited) return false;
        query.set(edited);
        chosen.set(0);
      }
      return true;
    },
    opened.get() === null,
  );

  const reading = opened.get();
  if (reading)
    return (
      <Reader
        entry={reading.entry}
        title={`#${reading.entry.id} ${describeEntry(view, reading.entry)}`}
        hint="↑ ↓ PgUp PgDn · Tab brings it back into the context · Esc back to the list"
        services={services}
        onClose={() => opened.set(null)}
        onKey={(chord) => chord === "tab" && bringBack(reading)}
        theme={theme}
        columns={columns}
        rows={rows}
      />
    );
  const room = Math.max(1, Math.floor((rows - 3) / hitLines));
  const at = Math.max(0, Math.min(chosen.get(), (hits?.length ?? 0) - 1));
  const top = Math.max(0, Math.min(at - Math.floor(room / 2), (hits?.length ?? 0) - room));
  const lines = (hits ?? []).slice(top, top + room).flatMap((hit, index) => {
    const head = fit(headOf(hit, view, nowMs), columns);
    const stale = hit.stale.map((line) => ` · ${sanitiseLine(line)}`).join("");
    return [
      top + index === at ? theme.paint("selected", head) : head,
      fit(theme.paint("dim", `    ${sanitiseLine(hit.snippet)}${stale}`), columns),
    ];
  });
  const none =
    problem !== ""
      ? sanitiseLine(problem)
      : hits === null
        ? "Type what you look for."
        : `Nothing in ${placeOf[scope]} has these words.`;
  return (
    <Frame
      title={`Recall: everything that was said or shown in ${placeOf[scope]}`}
      hint={`Enter reads it · Tab brings it back into the context · Shift-Tab ${placeOf[scope === "session" ? "project" : "session"]} · Esc closes`}
      lines={[
        `${theme.paint("accent", "Search: ")}${sanitiseLine(query.get().text)}${theme.paint("selected", " ")}`,
        ...(lines.length === 0 ? [none] : lines),
      ]}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}

const placeOf = { session: "this session", project: "the project's other sessions" } as const;

function headOf({ entry, session }: Recalled, view: View, nowMs: number): string {
  const age = showAge(nowMs - (Date.parse(entry.at) || nowMs)).padStart(4);
  if (session !== null)
    return `${age}  ${session}#${entry.id}  ${entry.type === "result" ? `result of ${sanitiseLine(entry.tool)}` : describeEntry(view, entry)}`;
  const row = view.rows[view.indexOf(entry.id) ?? -1];
  const cut = view.cuts.find(({ id }) => id === row?.by);
  const badge = cut && row?.shown !== "whole" ? `  [${badges[cut.tier]}]` : "";
  return `${age}  #${entry.id}  ${describeEntry(view, entry)}${badge}`;
}
