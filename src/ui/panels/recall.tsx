import { type ReactNode, useLayoutEffect, useState } from "react";
import { errorMessage } from "../../base/format.ts";
import { chooseBadge } from "../../context/cut-words.ts";
import type { View } from "../../context/types.ts";
import { findCut, findRow } from "../../context/view/rows.ts";
import { longWork } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices, useSource, useStore } from "../screen-context.ts";
import { type Line, markFound } from "../spans.ts";
import { describeEntry, formatAge } from "../transcript/format.ts";
import type { Recalled } from "../types.ts";
import { ListPanel } from "./list-panel.tsx";
import { PagedPanel } from "./paged-panel.tsx";

const places = { session: "this session", project: "the project's other sessions" } as const;

type Place = keyof typeof places;

export function RecallPanel({ argument: query }: { argument: string }): ReactNode {
  const { view, nowMs } = useStore();
  const { show, send, notify, setPrompt } = useActions();
  const { openOriginal } = useServices();
  const [filter, setFilter] = useState(query);
  const [place, setPlace] = useState<Place>("session");
  const [read, setRead] = useState<Recalled | null>(null);
  const { hits, message } = useRecall(filter.trim(), place);
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
      empty={message}
      items={hits}
      lines={(hit) => [headLine(hit, view, nowMs), snippetLine(hit, filter)]}
      isFiltered
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

/** Results of the latest search; keeps the previous ones until it ends. */
function useRecall(words: string, place: Place) {
  const { recall } = useServices();
  const { store } = useSource().screen;
  const [hits, setHits] = useState<readonly Recalled[]>([]);
  /** null: searching. */
  const [none, setNone] = useState<string | null>(null);
  const [indexing, setIndexing] = useState("");
  useLayoutEffect(() => {
    let isNewest = true;
    const end = (found: readonly Recalled[], message: string): void => {
      if (!isNewest) return;
      setHits(found);
      setNone(message);
      store.redraw();
    };
    // The first search builds the index; later ones wait for it.
    const progress = longWork(store, (bar) => {
      setIndexing(`${bar} Indexing …`);
      store.redraw();
    });
    setNone(null);
    setIndexing("");
    if (words === "") end([], "Type what to search for.");
    else
      recall(words, place, progress).then(
        (found) => end(found, `No matches in ${places[place]}.`),
        (error: unknown) => end([], sanitizeLine(errorMessage(error))),
      );
    return () => void (isNewest = false);
  }, [words, place]);
  return { hits, message: none ?? (indexing || "Searching …") };
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
