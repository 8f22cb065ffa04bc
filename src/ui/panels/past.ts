/** Panels of the past: recall, rewind, branches. */

import { findCut, findRow } from "../../context/view/rows.ts";
import type { View } from "../../context/types.ts";
import type { Host } from "./host.ts";
import { type Line, markFound } from "../line.ts";
import { longWork, Memo } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { chooseBadge } from "../../context/cut-words.ts";
import { formatAge, describeEntry } from "../transcript/format.ts";
import type { Recalled } from "../types.ts";
import { listPanel, type ListPanel } from "./old-list.ts";
import { loading, pagedPanel, type PanelModel, readerPanel } from "./panel.ts";
import { takeStart } from "../../base/clip.ts";
import { counted } from "../../base/in-words.ts";
import { blockText } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";

const places = { session: "this session", project: "the project's other sessions" } as const;

export function recallPanel(host: Host, query: string): PanelModel {
  const { services } = host;
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
  const bringBack = (hit: Recalled | undefined): void => {
    if (!hit) return;
    host.show(null);
    // From another session: the model opens it by its handle.
    if (hit.session !== null) return host.setPrompt(`recall ${hit.session}#${hit.entry.id}`);
    host.send({ type: "recall", entry: hit.entry.id });
    host.notify("Added to the end of the context; the cache stays valid.");
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
    title: () => `Recall: search ${places[place]}`,
    hint: () =>
      `Enter read · Tab add to the context · Shift-Tab ${places[other(place)]} · Esc close`,
    empty: emptyText,
    items: () => (hits = found?.value ?? hits),
    lines: (hit) => [headLine(hit, host.view, host.nowMs), snippetLine(hit, list.filter)],
    onChoose(hit) {
      const title = describeEntry(host.view, hit.entry);
      const hint = "↑ ↓ PgUp PgDn scroll · Tab add to the context · Esc back to the list";
      const keys = { tab: () => bringBack(hit) };
      list.opened = pagedPanel(host, services.openOriginal(hit.entry), {
        title,
        hint,
        keys,
        find: list.filter,
      });
    },
  });
  search(query.trim());
  return list;
}

const other = (place: keyof typeof places): keyof typeof places =>
  place === "session" ? "project" : "session";

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

const scopes = [
  { name: "the conversation", conversation: true, files: false },
  { name: "the files", conversation: false, files: true },
  { name: "the conversation and the files", conversation: true, files: true },
] as const;

/** One of the user's messages; `files`: how many were modified since. */
type RewindTarget = { message: EntryOf<"user">; files: number };

export function rewindPanel(host: Host, query: string): PanelModel {
  const memo = new Memo<RewindTarget[]>();
  let at = 0;
  const scope = () => scopes[at % scopes.length] ?? scopes[0];

  const rewind = (message: EntryOf<"user">, unsure?: true): void => {
    const { conversation, files } = scope();
    const more = unsure ? { unsure } : {};
    host.send({ type: "rewind", to: message.parent, conversation, files, ...more });
    if (conversation) host.setPrompt(message.typed ?? blockText(message.content));
    host.show(null);
  };
  const choose = async (message: EntryOf<"user">): Promise<void> => {
    const lines = scope().files ? await host.services.previewRewind(message.parent) : [];
    if (lines.length === 0) return rewind(message);
    const shown = lines.map(sanitizeLine);
    const isUnsure = shown.some((line) => line.startsWith("Leave "));
    const hint = `Enter rewind · ${isUnsure ? "a rewind those to leave, too · " : ""}Esc back`;
    const text = { title: "Rewind these files", hint, lines: shown };
    const keys = {
      enter: () => rewind(message),
      ...(isUnsure && { a: () => rewind(message, true) }),
    };
    list.opened = readerPanel(() => text, { keys });
    host.redraw();
  };
  const list: ListPanel = listPanel<RewindTarget>(host, {
    query,
    keys: { tab: () => at++ },
    title: () => `Rewind ${scope().name} to before a message`,
    hint: "Enter rewind · Tab conversation, files, both · Esc close",
    empty: "No messages yet.",
    items: () => memo.get([host.state.path], () => rewindTargets(host.state.path)),
    lines: (target) => [messageLine(target, host.nowMs)],
    onChoose: ({ message }) => void choose(message).catch(host.report),
  });
  return list;
}

/** Newest first. Pure. */
function rewindTargets(path: Iterable<Entry>): RewindTarget[] {
  const changed = new Set<string>();
  return [...path].reverse().flatMap((entry): RewindTarget[] => {
    if (entry.type === "checkpoint") for (const { path: file } of entry.files) changed.add(file);
    return entry.type === "user" ? [{ message: entry, files: changed.size }] : [];
  });
}

function messageLine({ message, files }: RewindTarget, nowMs: number): string {
  const since = files === 0 ? "" : `${counted(files, "file")} changed since · `;
  return `${formatAge(message.at, nowMs)}  ${since}${messageText(message)}`;
}

const messageText = ({ content, typed }: EntryOf<"user">): string =>
  takeStart(sanitizeLine(typed ?? blockText(content)) || "(an image)", 200);

/** `tip`: its last entry. */
type Branch = { tip: Entry; turns: number; last: string };

export function branchPanel(host: Host): PanelModel {
  const memo = new Memo<Branch[]>();
  let files = false;
  return listPanel<Branch>(host, {
    keys: { tab: () => (files = !files) },
    title: () => `Switch to a branch, ${files ? "with its files" : "files unchanged"}`,
    hint: "Enter switch; the current line is kept as a branch · Tab with its files or without · Esc close",
    empty: "Nothing was rewound in this session.",
    items: () => memo.get([host.state.branches], () => listBranches([...host.state.branches])),
    lines: ({ tip, turns, last }) => [
      `${formatAge(tip.at, host.nowMs)}  ${counted(turns, "turn")}, last: ${last}`,
    ],
    closes: true,
    onChoose: ({ tip }) => host.send({ type: "rewind", to: tip.id, conversation: true, files }),
  });
}

/** Ends of the branches, newest first, each with its last message. Pure. */
function listBranches(branches: readonly Entry[]): Branch[] {
  const byId = new Map(branches.map((entry) => [entry.id, entry]));
  const parents = new Set(branches.map(({ parent }) => parent));
  const tips = branches.filter(({ id }) => !parents.has(id));
  return tips.reverse().flatMap((tip): Branch[] => {
    const messages = backFrom(tip, byId).filter((entry) => entry.type === "user");
    const [last] = messages;
    const turns = messages.filter(({ midTurn }) => !midTurn).length;
    // A branch without a message has nothing to return to.
    if (!last) return [];
    return [{ tip, turns, last: messageText(last) }];
  });
}

function backFrom(tip: Entry, byId: ReadonlyMap<string, Entry>): Entry[] {
  const line: Entry[] = [];
  for (let at: Entry | undefined = tip; at; at = byId.get(at.parent ?? "")) line.push(at);
  return line;
}
