/** What the transcript shows: an entry becomes no, one or several items. */

import type { ToolUseBlock } from "../protocol/block.ts";
import { spentElsewhere } from "../protocol/billed.ts";
import type { Entry, EntryId, EntryOf, SubagentRun } from "../protocol/entry.ts";
import type { Usage } from "../protocol/model.ts";
import { CallItem, SaidItem } from "./block-items.ts";
import { at, push, put, type List } from "./list.ts";

/** `key` is stable for the life of a session: the entry's id and the index in it. */
export type Item =
  | SaidItem
  | CallItem
  | ({ readonly key: string; readonly entry: Entry } & (
      | { readonly kind: "user" | "context" | "cut" | "restore" | "note" | "head" | "model" }
      /** A result whose call is not on the path. */
      | { readonly kind: "result"; readonly result: EntryOf<"result"> }
      /** A finished turn: what it took. */
      | ({ readonly kind: "turn" } & TurnTotals)
      /** Why an answer ended early. */
      | { readonly kind: "stop"; readonly stop: EntryOf<"assistant">["stop"] }
    ));

export type ItemKind = Item["kind"];

/** What a turn has taken since the user's last message. */
export type TurnTotals = {
  readonly ms: number;
  readonly toolCalls: number;
  /** One per call of the model. */
  readonly usages: readonly Usage[];
  /** Subagents whose reports came back. */
  readonly subagents: readonly SubagentRun[];
  /** US dollars that they, and tools that call a model themselves, cost. */
  readonly elsewhereUsd: number;
};

/** The turn in progress; `startedAt` in ISO 8601. */
export type Turn = Omit<TurnTotals, "ms"> & { readonly startedAt: string };

export type Transcript = {
  readonly items: List<Item>;
  /** Calls without a result, to their place in `items`. */
  readonly openCalls: ReadonlyMap<string, number>;
  /** When the user last answered a question (ISO 8601); empty: never. */
  readonly answeredAt: string;
  readonly turn: Turn | null;
};

/** The transcript with one more entry. */
export function appendEntry(transcript: Transcript, entry: Entry): Transcript {
  switch (entry.type) {
    case "assistant":
      return withTurn(appendAnswer(transcript, entry), entry);
    case "result":
      return withSpent(appendResult(transcript, entry), entry);
    case "user": {
      const turn = {
        startedAt: entry.at,
        toolCalls: 0,
        usages: [],
        subagents: [],
        elsewhereUsd: 0,
      };
      return add({ ...transcript, turn }, { key: entry.id, entry, kind: "user" });
    }
    case "context":
    case "cut":
    case "restore":
    case "head":
    case "model":
      return add(transcript, { key: entry.id, entry, kind: entry.type });
    case "note":
      if (entry.kind === "title") return transcript;
      if (entry.kind === "permission") return appendAnswered(transcript, entry);
      return withSpent(add(transcript, { key: entry.id, entry, kind: "note" }), entry);
    case "session":
    case "pin":
    case "checkpoint":
    case "count":
    case "refresh":
    case "attempt":
    case "repair":
    case "unknown":
      return transcript;
    default:
      return entry satisfies never;
  }
}

/** The row of a call says itself that it was denied, and by running that it was allowed once. */
function appendAnswered(transcript: Transcript, entry: EntryOf<"note">): Transcript {
  const answered = { ...transcript, answeredAt: entry.at };
  return /^(?:allowed \(once\)|denied):/.test(entry.text)
    ? answered
    : add(answered, { key: entry.id, entry, kind: "note" });
}

function appendAnswer(transcript: Transcript, entry: EntryOf<"assistant">): Transcript {
  let grown = transcript;
  entry.content.forEach((_, index) => {
    const item = itemOf(entry, index, grown.items);
    if (item === null) return;
    if (item.kind === "tool") {
      const openCalls = new Map(grown.openCalls).set(item.call.id, grown.items.length);
      grown = { ...grown, openCalls };
    }
    grown = add(grown, item);
  });
  if (entry.stop === "end_turn" || entry.stop === "tool_use" || entry.stop === "pause_turn") {
    return grown;
  }
  return add(grown, { key: `${entry.id}.stop`, entry, kind: "stop", stop: entry.stop });
}

/** Counts an answer, and ends the turn with the last one. */
function withTurn(transcript: Transcript, entry: EntryOf<"assistant">): Transcript {
  const { turn } = transcript;
  if (turn === null) return transcript;
  const toolCalls = turn.toolCalls + entry.content.filter(({ type }) => type === "tool_use").length;
  const usages = [...turn.usages, entry.usage];
  if (entry.stop !== "end_turn") return { ...transcript, turn: { ...turn, toolCalls, usages } };
  const ms = Math.max(0, Date.parse(entry.at) - Date.parse(turn.startedAt));
  const totals = {
    ms,
    toolCalls,
    usages,
    subagents: turn.subagents,
    elsewhereUsd: turn.elsewhereUsd,
  };
  const item: Item = { key: `${entry.id}.turn`, entry, kind: "turn", ...totals };
  return { ...add(transcript, item), turn: null };
}

function withSpent(transcript: Transcript, entry: EntryOf<"result" | "note">): Transcript {
  const { turn } = transcript;
  const spent = spentElsewhere(entry);
  if (turn === null || spent === undefined) return transcript;
  const report = entry.type === "result" ? entry.subagent : undefined;
  const subagents = [...turn.subagents, ...(report ? [report] : [])];
  const elsewhereUsd = turn.elsewhereUsd + spent.usd;
  return { ...transcript, turn: { ...turn, subagents, elsewhereUsd } };
}

/** Tools that only look: their calls may share a row. */
const lookingTools: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);

/** Most calls that share a row. */
const mostInGroup = 20;

function groupStart({ name }: ToolUseBlock, items: List<Item>): number {
  const { length } = items;
  const above = at(items, length - 1);
  const isNeighbor =
    above?.kind === "tool" &&
    above.call.name === name &&
    lookingTools.has(name) &&
    length - above.groupStart < mostInGroup;
  return isNeighbor ? above.groupStart : length;
}

function itemOf(entry: EntryOf<"assistant">, index: number, items: List<Item>): Item | null {
  const block = entry.content[index];
  switch (block?.type) {
    case "text":
      return block.text.trim() === "" ? null : new SaidItem(entry, index, "text");
    case "thinking":
      return block.thinking.trim() === "" ? null : new SaidItem(entry, index, "thinking");
    case "tool_use":
      return new CallItem(entry, index, groupStart(block, items));
    case "redacted_thinking":
    case "compaction":
    case undefined:
      return null;
    default:
      return block satisfies never;
  }
}

function appendResult(transcript: Transcript, result: EntryOf<"result">): Transcript {
  const place = transcript.openCalls.get(result.toolUse);
  const item = place === undefined ? undefined : at(transcript.items, place);
  if (place === undefined || item?.kind !== "tool") {
    return add(transcript, { key: result.id, entry: result, kind: "result", result });
  }
  const openCalls = new Map(transcript.openCalls);
  openCalls.delete(result.toolUse);
  const { answeredAt } = transcript;
  const startedAt = laterOf(item.startedAt, answeredAt);
  const items = put(transcript.items, place, item.withResult(result, startedAt));
  return { ...transcript, items, openCalls };
}

const add = (transcript: Transcript, item: Item): Transcript => ({
  ...transcript,
  items: push(transcript.items, item),
});

/** The later of two times (ISO 8601). */
export const laterOf = (a: string, b: string): string => (a > b ? a : b);

/** The entry whose row in the view says whether this item is still sent in full. */
export const sentEntry = (item: Item): EntryId =>
  item.kind === "tool" && item.result !== null ? item.result.id : item.entry.id;
