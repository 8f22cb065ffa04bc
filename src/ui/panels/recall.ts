/** Finds anything said or shown before, to read it or to bring it back into the context. */

import { cutOf, rowOf } from "../../context/view/rows.ts";
import type { View } from "../../context/types.ts";
import type { Host } from "../host.ts";
import { type Line, span } from "../line.ts";
import { longWork } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { ageOf, badges, describeEntry } from "../transcript/format.ts";
import type { Recalled } from "../types.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import { loading, pagedPanel, type PanelModel } from "./panel.ts";

const places = { session: "this session", project: "the project's other sessions" } as const;

export function recallPanel(host: Host, query: string): PanelModel {
  const { services } = host.options;
  let place: keyof typeof places = "session";
  let hits: readonly Recalled[] = [];
  /** The newest search; null: there is nothing to search for. */
  let found: ReturnType<typeof loading<Recalled[]>> | null = null;
  /** Progress of the indexing that the first search started; later searches wait for it. */
  let indexing = "";

  const search = (words: string): void => {
    const progress = longWork(host, (bar) => {
      indexing = `${bar} Indexing …`;
      host.redraw();
    });
    indexing = "";
    if (words === "") hits = [];
    found = words === "" ? null : loading(host, services.recall(words, place, progress), "");
  };
  const emptyText = (): string => {
    if (found === null) return "Type what to search for.";
    if (found.value) return `No matches in ${places[place]}.`;
    return found.message || indexing || "Searching …";
  };
  const close = (): void => host.dispatch({ type: "panel", panel: null });
  const bringBack = (hit: Recalled | undefined): void => {
    if (!hit) return;
    close();
    // From another session: the model opens it by its handle.
    if (hit.session !== null) return host.setPrompt(`recall ${hit.session}#${hit.entry.id}`);
    host.send({ type: "recall", entry: hit.entry.id });
    host.flash("Added to the end of the context; the cache stays valid.");
  };
  const list: ListPanel = listPanel<Recalled>(host, {
    isFiltered: true,
    query,
    onFilter: (words) => search(words.trim()),
    keys: {
      tab: bringBack,
      "shift+tab"() {
        place = other(place);
        search(list.filter.trim());
      },
    },
    content: () => {
      hits = found?.value ?? hits;
      return {
        title: `Recall: search everything said or shown in ${places[place]}`,
        hint: `Enter read · Tab add to the context · Shift-Tab ${places[other(place)]} · Esc close`,
        empty: emptyText(),
        items: hits,
      };
    },
    lines: (hit) => [headOf(hit, host.view, host.nowMs), snippetOf(hit)],
    onChoose(hit) {
      const title = describeEntry(host.view, hit.entry);
      const hint = "↑ ↓ PgUp PgDn scroll · Tab add to the context · Esc back to the list";
      const keys = { tab: () => bringBack(hit), escape: () => (list.opened = null) };
      list.opened = pagedPanel(host, services.openOriginal(hit.entry), { title, hint, keys });
    },
  });
  search(query.trim());
  return list;
}

const other = (place: keyof typeof places): keyof typeof places =>
  place === "session" ? "project" : "session";

function snippetOf({ snippet, stale }: Recalled): Line {
  const changed = stale.map((line) => ` · ${sanitizeLine(line)}`).join("");
  return span("dim", `    ${sanitizeLine(snippet)}${changed}`);
}

function headOf({ entry, session }: Recalled, view: View, nowMs: number): string {
  const age = ageOf(entry.at, nowMs);
  if (session !== null) {
    const what =
      entry.type === "result"
        ? `result of ${sanitizeLine(entry.tool)}`
        : describeEntry(view, entry);
    return `${age}  ${session}  ${what}`;
  }
  const row = rowOf(view, entry.id);
  const cut = cutOf(view, row);
  const badge = cut && row?.shown !== "whole" ? `  [${badges[cut.tier]}]` : "";
  return `${age}  ${describeEntry(view, entry)}${badge}`;
}
