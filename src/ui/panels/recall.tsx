import { type ReactNode, useState } from "react";
import { chooseBadge } from "../../context/describe-cut.ts";
import type { View } from "../../context/types.ts";
import { findCut, findRow } from "../../context/view/rows.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices, useStore } from "../screen-context.ts";
import { type Line, markFound } from "../spans.ts";
import { describeEntry, formatAge } from "../transcript/format.ts";
import type { Recalled } from "../types.ts";
import { ListPanel } from "./list-panel.tsx";
import { PagedPanel } from "./text-panel.tsx";
import { useLoading } from "./use-loading.ts";

const places = { session: "this session", project: "the project's other sessions" } as const;

type Place = keyof typeof places;

export function RecallPanel({ argument: query }: { argument: string }): ReactNode {
  const { view, nowMs } = useStore();
  const { show, send, notify, setPrompt } = useActions();
  const { openOriginal, recall } = useServices();
  const [filter, setFilter] = useState(query);
  const [place, setPlace] = useState<Place>("session");
  const [read, setRead] = useState<Recalled | null>(null);
  const words = filter.trim();
  const found = useLoading(
    async () => (words === "" ? [] : await recall(words, place)),
    "Searching …",
    [words, place],
  );
  const none = words === "" ? "Type what to search for." : `No matches in ${places[place]}.`;
  const other = place === "session" ? "project" : "session";

  function bringBack(hit: Recalled | undefined): void {
    if (!hit) return;
    show(null);
    // In another session: the model opens the handle itself.
    if (hit.session !== null) return setPrompt(`recall ${hit.session}#${hit.entry.id}`);
    send({ type: "recall", entry: hit.entry.id });
    notify("Added to the end of the context; the cache stays valid.");
  }

  return (
    <ListPanel
      title={`Recall: search ${places[place]}`}
      hint={`Enter read · Tab add to the context · Shift-Tab ${places[other]} · Esc close`}
      empty={found.value ? none : found.message}
      items={found.value ?? []}
      lines={(hit) => [headLine(hit, view, nowMs), snippetLine(hit, filter)]}
      query={query}
      onFilter={setFilter}
      onChoose={setRead}
      keys={{ tab: bringBack, "shift+tab": () => setPlace(other) }}
      opened={
        read && (
          <PagedPanel
            open={() => openOriginal(read.entry)}
            title={describeEntry(view, read.entry)}
            hint="↑ ↓ PgUp PgDn scroll · Tab add to the context · Esc back to the list"
            keys={{ tab: () => bringBack(read) }}
            find={filter}
          />
        )
      }
      onBack={() => setRead(null)}
    />
  );
}

function snippetLine({ snippet, stale }: Recalled, words: string): Line {
  const changed = stale.map((line) => ` · ${sanitizeLine(line)}`).join("");
  return markFound(`    ${sanitizeLine(snippet)}${changed}`, words.split(/\s+/), "dim");
}

function headLine({ entry, session }: Recalled, view: View, nowMs: number): string {
  const age = formatAge(entry.at, nowMs);
  if (session !== null) {
    const what =
      entry.type === "result"
        ? `result of ${sanitizeLine(entry.tool)}`
        : describeEntry(view, entry);
    return `${age}  ${session}  ${what}`;
  }
  const row = findRow(view, entry.id);
  const cut = findCut(view, row);
  const badge = cut && row?.shown !== "whole" ? `  [${chooseBadge(cut, entry.id)}]` : "";
  return `${age}  ${describeEntry(view, entry)}${badge}`;
}
