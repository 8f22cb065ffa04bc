/** What the page of a session shows: its items, and what the model saw of them at each call. Pure. */

import { measure } from "../../context/meter.ts";
import type { MeterReading, Row } from "../../context/types.ts";
import { Projection } from "../../context/view.ts";
import { rulesOf } from "../../model/catalog.ts";
import { takeStart } from "../../base/clip.ts";
import { counted } from "../../base/in-words.ts";
import { subjectOf, textOf, type Block, type ToolUseBlock } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { costOf } from "../../protocol/model.ts";
import { defaultPolicy } from "../../protocol/policy.ts";

type PageItem = {
  kind: "user" | "answer" | "thinking" | "call" | "result" | "info" | "cut";
  heading: string;
  text: string;
  /** Position of its entry on the path. */
  row: number;
  isError?: true;
  /** Lines that begin with + and - are what a change adds and removes. */
  isDiff?: true;
};

/** What fills the context, as the meter groups it: tokens. */
type PageParts = [system: number, user: number, answers: number, results: number, summary: number];

type PageCall = {
  /** ISO 8601. */
  at: string;
  /** The path up to here, without this row, is what the call could see. */
  row: number;
  parts: PageParts;
  usd: number;
};

type PageCut = {
  row: number;
  /** The first call after it. */
  call: number;
  tier: string;
  reason: string;
  /** Tokens in use. */
  before: number;
  after: number;
  /** Rows that it took out of view, all or part of them. */
  took: number[];
};

/** How a row is sent from a call on. */
type PageState = { call: number; shown: "whole" | "replaced" | "covered"; text?: string };

/** What a page gets as JSON. */
export type SessionData = PageHead & PageContext & { items: PageItem[] };

export type PageHead = { title: string; about: [name: string, value: string][] };

type PageContext = {
  windowTokens: number;
  calls: PageCall[];
  cuts: PageCut[];
  /** Only rows that are not always sent whole. */
  states: [row: number, states: PageState[]][];
};

export function headOf(path: readonly Entry[]): PageHead {
  const session = path.find((entry) => entry.type === "session");
  return {
    title: titleOf(path),
    about: [
      ["Session", session?.session ?? "unknown"],
      ["Folder", session?.cwd ?? "unknown"],
      ["Model", session?.model ?? "unknown"],
      ["Started", timeOf(path[0])],
      ["Ended", timeOf(path.at(-1))],
    ],
  };
}

/** The title that it was given, or the beginning of its first message. */
function titleOf(path: readonly Entry[]): string {
  const named = path.findLast((entry) => entry.type === "note" && entry.kind === "title");
  if (named?.type === "note") return named.text;
  const first = path.find((entry) => entry.type === "user");
  const [line = ""] = first ? allText(first.content).trim().split("\n", 1) : [];
  return takeStart(line, 80) || "A session";
}

/** "2026-11-22 12:00 UTC" */
const timeOf = (entry: Entry | undefined): string =>
  entry ? `${entry.at.slice(0, 16).replace("T", " ")} UTC` : "unknown";

/** Follows a session entry by entry, and notes what changes between calls. */
export class PageHistory {
  readonly #projection = new Projection();
  readonly #calls: PageCall[] = [];
  readonly #cuts: PageCut[] = [];
  readonly #states = new Map<number, PageState[]>();
  #windowTokens = 0;

  push(entry: Entry): void {
    const { view } = this.#projection;
    const row = view.rows.length;
    if (entry.type === "assistant" && entry.stop !== "failed") this.#call(entry, row);
    this.#projection.push(entry);
    if (entry.type !== "cut" && entry.type !== "restore") return;
    const took = this.#noteStates();
    if (entry.type === "cut") this.#cut(entry, row, took);
  }

  end(): PageContext {
    const states = [...this.#states].toSorted(([a], [b]) => a - b);
    return { windowTokens: this.#windowTokens, calls: this.#calls, cuts: this.#cuts, states };
  }

  #call(entry: EntryOf<"assistant">, row: number): void {
    const rules = rulesOf(entry.model);
    const reading = measure(this.#projection.view, rules, defaultPolicy, Date.parse(entry.at));
    this.#windowTokens = Math.max(this.#windowTokens, reading.windowTokens);
    const usd = costOf(entry.usage, rules.prices);
    this.#calls.push({ at: entry.at, row, parts: partsOf(reading), usd });
  }

  #cut({ tier, reason, price }: EntryOf<"cut">, row: number, took: number[]): void {
    const { usedBefore: before, usedAfter: after } = price;
    this.#cuts.push({ row, call: this.#calls.length, tier, reason, before, after, took });
  }

  /** Returns the rows that are no longer sent as they were. */
  #noteStates(): number[] {
    const call = this.#calls.length;
    const changed: number[] = [];
    this.#projection.view.rows.forEach((row, at) => {
      const now = stateOf(row, call);
      if (now === null) return;
      const states = this.#states.get(at) ?? [];
      const last = states.at(-1);
      if ((last?.shown ?? "whole") === now.shown && last?.text === now.text) return;
      this.#states.set(at, [...states, now]);
      if (now.shown !== "whole") changed.push(at);
    });
    return changed;
  }
}

function stateOf({ shown, text }: Row, call: number): PageState | null {
  if (shown === "unsent") return null;
  return shown === "replaced" && text !== undefined ? { call, shown, text } : { call, shown };
}

const partsOf = ({ breakdown: by }: MeterReading): PageParts => [
  Math.round(by.system + by.tools + by.instructions),
  Math.round(by.user),
  Math.round(by.assistant + by.thinking + by.toolInputs),
  Math.round(by.toolResults),
  Math.round(by.summary),
];

export function itemsOf(entry: Entry, row: number): PageItem[] {
  const item = (kind: PageItem["kind"], heading: string, text = "") => [
    { kind, heading, text, row },
  ];
  switch (entry.type) {
    case "user":
      return item("user", "You", allText(entry.content));
    case "context":
      return item("info", entry.title, allText(entry.content));
    case "assistant":
      return entry.content.flatMap((block) => itemsOfBlock(block, entry.model, row));
    case "result":
      return [resultItem(entry, row)];
    case "cut": {
      const covers = entry.changes.flatMap((one) => (one.kind === "cover" ? [one.text] : []));
      return item("cut", entry.reason, covers.join("\n\n"));
    }
    case "restore":
      return item("info", "A compaction was undone");
    case "model":
      return item("info", `Model: ${entry.model}`);
    case "note":
      return entry.kind === "title" ? [] : item("info", entry.kind, entry.text);
    default:
      return [];
  }
}

function itemsOfBlock(block: Block, model: string, row: number): PageItem[] {
  if (block.type === "tool_use") return [callItem(block, row)];
  const said: PageItem | null =
    block.type === "text"
      ? { kind: "answer", heading: model, text: block.text, row }
      : block.type === "thinking"
        ? { kind: "thinking", heading: "Thinking", text: block.thinking, row }
        : null;
  return said === null || said.text.trim() === "" ? [] : [said];
}

function callItem({ name, input }: ToolUseBlock, row: number): PageItem {
  const heading = `${name} ${subjectOf(input)?.text.split("\n", 1)[0] ?? ""}`.trimEnd();
  const { old_string: before, new_string: after } = input;
  if (typeof before !== "string" || typeof after !== "string")
    return { kind: "call", heading, text: JSON.stringify(input, null, 2), row };
  const marked = (text: string, mark: string): string => text.replace(/^/gm, mark);
  const text = `${marked(before, "- ")}\n${marked(after, "+ ")}`;
  return { kind: "call", heading, text, row, isDiff: true };
}

function resultItem(entry: EntryOf<"result">, row: number): PageItem {
  const words = allText(entry.content);
  const text = entry.file === undefined ? words : `${words}\n[Full output: ${entry.file}]`;
  const heading = `${entry.isError ? "Error" : "Result"} of ${entry.tool}, ${counted(entry.lines, "line")}`;
  return { kind: "result", heading, text, row, ...(entry.isError ? { isError: true } : {}) };
}

const allText = (blocks: readonly Block[]): string =>
  [
    textOf(blocks),
    ...blocks.flatMap((block) => (block.type === "image" ? [`[${block.source.media_type}]`] : [])),
  ]
    .filter((text) => text !== "")
    .join("\n");
