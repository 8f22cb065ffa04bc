/** What the transcript shows: an entry becomes no, one or several items. */

import type { AssistantBlock, ToolUseBlock } from "../protocol/block.ts";
import type { Entry, EntryId, EntryOf, SubagentRun } from "../protocol/entry.ts";
import type { Usage } from "../protocol/model.ts";
import { at, push, put, type List } from "./list.ts";

/** `key` is stable for the life of a session: the entry's id and the index in it. */
export type Item = { readonly key: string; readonly entry: Entry } & (
  | { readonly kind: "user" | "context" | "cut" | "restore" | "note" | "head" | "model" }
  | { readonly kind: "text" | "thinking"; readonly text: string }
  /** `result` joins its call as soon as it is there. */
  | {
      readonly kind: "tool";
      readonly call: ToolUseBlock;
      readonly result: EntryOf<"result"> | null;
      /** When it began to run (ISO 8601): a wait for permission is not part of it. */
      readonly startedAt: string;
      /** Where the calls begin that may share a row with this one; its own place if none does. */
      readonly groupStart: number;
    }
  /** A result whose call is not on the path. */
  | { readonly kind: "result"; readonly result: EntryOf<"result"> }
  /** A finished turn: what it took. */
  | ({ readonly kind: "turn" } & TurnTotals)
  /** Why an answer ended early. */
  | { readonly kind: "stop"; readonly stop: EntryOf<"assistant">["stop"] }
);

export type ItemKind = Item["kind"];

/** What a turn has taken since the user's last message. */
export type TurnTotals = {
  readonly ms: number;
  readonly toolCalls: number;
  /** One per call of the model. */
  readonly usages: readonly Usage[];
  /** Subagents whose reports came back. */
  readonly subagents: readonly SubagentRun[];
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
      return withSubagent(appendResult(transcript, entry), entry.subagent);
    case "user": {
      const turn = { startedAt: entry.at, toolCalls: 0, usages: [], subagents: [] };
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
      return add(
        entry.kind === "permission" ? { ...transcript, answeredAt: entry.at } : transcript,
        { key: entry.id, entry, kind: "note" },
      );
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

function appendAnswer(transcript: Transcript, entry: EntryOf<"assistant">): Transcript {
  let grown = transcript;
  entry.content.forEach((block, index) => {
    const item = itemOf(entry, block, `${entry.id}.${index}`, grown.items);
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
  const totals = { ms, toolCalls, usages, subagents: turn.subagents };
  const item: Item = { key: `${entry.id}.turn`, entry, kind: "turn", ...totals };
  return { ...add(transcript, item), turn: null };
}

function withSubagent(transcript: Transcript, subagent: SubagentRun | undefined): Transcript {
  const { turn } = transcript;
  if (turn === null || subagent === undefined) return transcript;
  return { ...transcript, turn: { ...turn, subagents: [...turn.subagents, subagent] } };
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

function itemOf(entry: Entry, block: AssistantBlock, key: string, items: List<Item>): Item | null {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? null : { key, entry, kind: "text", text: block.text };
    case "thinking":
      return block.thinking.trim() === ""
        ? null
        : { key, entry, kind: "thinking", text: block.thinking };
    case "tool_use":
      return {
        key,
        entry,
        kind: "tool",
        call: block,
        result: null,
        startedAt: entry.at,
        groupStart: groupStart(block, items),
      };
    case "redacted_thinking":
    case "compaction":
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
  const startedAt = answeredAt > item.startedAt ? answeredAt : item.startedAt;
  const items = put(transcript.items, place, { ...item, result, startedAt });
  return { ...transcript, items, openCalls };
}

const add = (transcript: Transcript, item: Item): Transcript => ({
  ...transcript,
  items: push(transcript.items, item),
});

/** The entry whose row in the view says whether this item is still sent in full. */
export const sentEntry = (item: Item): EntryId =>
  item.kind === "tool" && item.result !== null ? item.result.id : item.entry.id;
