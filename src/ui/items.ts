/** Items of the transcript: an entry becomes zero, one or several items. */

import { type AssistantBlock, blockText, type ToolUseBlock } from "../protocol/block.ts";
import { spentElsewhere } from "../protocol/billed.ts";
import type { Change, Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import type { Usage } from "../protocol/model.ts";
import { callTitle } from "./transcript/format.ts";

type WholeKind = "user" | "context" | "cut" | "restore" | "note" | "head" | "model";

type WholeItem = {
  [K in WholeKind]: { readonly key: string; readonly kind: K; readonly entry: EntryOf<K> };
}[WholeKind];

type BlockItem = { readonly key: string; readonly entry: EntryOf<"assistant"> } & (
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly call: ToolUseBlock;
      /** When it started to run (ISO 8601), after any wait for permission. */
      readonly startedAt: string;
      /** Index of the first call that may share a row with this one; its own index if there is none. */
      readonly groupStart: number;
      /** Set as soon as the result arrives. */
      readonly result: EntryOf<"result"> | null;
      /** Calls that it made itself. */
      readonly steps: readonly EntryOf<"step">[];
    }
);

/** `key` is stable for the life of a session: the entry's id and the index in it. */
export type Item =
  | BlockItem
  | WholeItem
  | ({ readonly key: string; readonly entry: Entry } &
      /** A result whose call is not on the path. */
      (
        | { readonly kind: "result"; readonly result: EntryOf<"result"> }
        | ({ readonly kind: "turn" } & TurnTotals)
        | { readonly kind: "stop"; readonly stop: EntryOf<"assistant">["stop"] }
      ));

export type ItemKind = Item["kind"];

/** Totals of a turn since the message that began it. */
export type TurnTotals = {
  readonly ms: number;
  readonly toolCalls: number;
  readonly usages: readonly Usage[];
  readonly subagents: number;
  /** Cost in US dollars of subagents and of tools that call a model themselves. */
  readonly elsewhereUsd: number;
};

export type Transcript = {
  readonly path: readonly Entry[];
  readonly items: readonly Item[];
  /** Calls without a result, by id, with their index in `items`. */
  readonly openCalls: ReadonlyMap<string, number>;
  /** When the user last answered a question (ISO 8601); empty: never. */
  readonly answeredAt: string;
  /** Index in the path of the message that began the turn in progress; null: none, or it has ended. */
  readonly turnStart: number | null;
};

/** A mutable copy with unshared lists. */
export type TranscriptDraft<T extends Transcript> = { -readonly [K in keyof T]: T[K] } & {
  path: Entry[];
  items: Item[];
};

/** Adds the next entry of the path in place: resuming a long session makes no copy per entry. */
export function addEntry(draft: TranscriptDraft<Transcript>, entry: Entry): void {
  const { id: key } = entry;
  if (isAnswer(entry)) draft.answeredAt = entry.at;
  switch (entry.type) {
    case "assistant":
      addAnswer(draft, entry);
      draft.turnStart ??= startOfOwnTurn(draft.path);
      if (entry.stop !== "end_turn") return;
      add(draft, {
        key: `${key}.turn`,
        entry,
        kind: "turn",
        ...sumTurn(draft.path, draft.turnStart, entry),
      });
      draft.turnStart = null;
      return;
    case "result":
      return addResult(draft, entry);
    case "step":
      return addStep(draft, entry);
    case "user":
      if (!entry.midTurn) draft.turnStart = draft.path.length;
      draft.turnStart ??= draft.path.length;
      return add(draft, { key, entry, kind: "user" });
    case "note":
      if (entry.kind === "title" || isInRow(entry)) return;
      return add(draft, { key, entry, kind: "note" });
    case "context":
      return add(draft, { key, entry, kind: "context" });
    case "cut":
      return add(draft, { key, entry, kind: "cut" });
    case "restore":
      return add(draft, { key, entry, kind: "restore" });
    case "head":
      return add(draft, { key, entry, kind: "head" });
    case "model":
      return add(draft, { key, entry, kind: "model" });
    case "session":
    case "pin":
    case "rule":
    case "checkpoint":
    case "count":
    case "refresh":
    case "attempt":
    case "repair":
    case "unknown":
      return;
    default:
      return entry satisfies never;
  }
}

const add = (draft: TranscriptDraft<Transcript>, item: Item): void => void draft.items.push(item);

/** A call's row already shows that it was denied or, by running, that it was allowed once. */
const isInRow = ({ kind, text }: EntryOf<"note">): boolean =>
  kind === "permission" && /^(?:allowed \(once\)|denied):/.test(text);

function addAnswer(draft: TranscriptDraft<Transcript>, entry: EntryOf<"assistant">): void {
  const { content, stop } = entry;
  for (const [index, block] of content.entries()) {
    const item = makeItem(entry, block, index, draft.items);
    if (item === null) continue;
    if (block.type === "tool_use")
      draft.openCalls = new Map(draft.openCalls).set(block.id, draft.items.length);
    add(draft, item);
  }
  if (stop === "end_turn" || stop === "tool_use" || stop === "pause_turn") return;
  add(draft, { key: `${entry.id}.stop`, entry, kind: "stop", stop });
}

/** Index of the message by which the agent began a turn itself: that of a goal or of a background command. */
function startOfOwnTurn(path: readonly Entry[]): number {
  const last = path.findLastIndex(({ type }) => type === "context" || type === "assistant");
  return path[last]?.type === "context" ? last : path.length;
}

/** Entries that may be added while the user is asked. */
const silent: ReadonlySet<Entry["type"]> = new Set([
  "pin",
  "checkpoint",
  "count",
  "refresh",
  "attempt",
]);

function sumTurn(path: readonly Entry[], start: number, end: EntryOf<"assistant">): TurnTotals {
  const entries = [...path.slice(start), end];
  const answers = entries.filter((entry) => entry.type === "assistant");
  const calls = answers.flatMap(({ content }) => content.filter(({ type }) => type === "tool_use"));
  const totals = { subagents: 0, elsewhereUsd: 0 };
  const startedMs = Date.parse(entries[0]?.at ?? "");
  let sinceMs = startedMs;
  let waitedMs = 0;
  for (const entry of entries) {
    const ms = Date.parse(entry.at);
    // Time since the previous event was spent waiting for the user.
    if (isAnswer(entry)) waitedMs += Math.max(0, ms - sinceMs) || 0;
    if (!silent.has(entry.type)) sinceMs = ms;
    if (entry.type !== "result" && entry.type !== "note") continue;
    totals.elsewhereUsd += spentElsewhere(entry)?.usd ?? 0;
    if (entry.type === "note" || !entry.subagent) continue;
    totals.subagents++;
    waitedMs += entry.subagent.waitedMs ?? 0;
  }
  const ms = Math.max(0, Date.parse(end.at) - startedMs - waitedMs);
  return { ms, toolCalls: calls.length, usages: answers.map(({ usage }) => usage), ...totals };
}

/** Tools that do nothing but ask the user: their time is the user's. */
export const askingTools: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

const isAnswer = (entry: Entry): boolean =>
  (entry.type === "note" && entry.kind === "permission") ||
  (entry.type === "result" && askingTools.has(entry.tool));

/** Read-only tools, whose calls may share a row. */
const lookingTools: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);

const maxInGroup = 20;

function groupStart({ name }: ToolUseBlock, items: readonly Item[]): number {
  const { length } = items;
  const above = items.at(-1);
  const isNeighbor =
    above?.kind === "tool" &&
    above.call.name === name &&
    lookingTools.has(name) &&
    length - above.groupStart < maxInGroup;
  return isNeighbor ? above.groupStart : length;
}

function makeItem(
  entry: EntryOf<"assistant">,
  block: AssistantBlock,
  index: number,
  items: readonly Item[],
): Item | null {
  const key = `${entry.id}.${index}`;
  switch (block.type) {
    case "text":
    case "thinking": {
      const text = block.type === "text" ? block.text : block.thinking;
      return text.trim() === "" ? null : { key, entry, kind: block.type, text };
    }
    case "tool_use": {
      const start = groupStart(block, items);
      const startedAt = entry.at;
      return {
        key,
        entry,
        kind: "tool",
        call: block,
        startedAt,
        groupStart: start,
        result: null,
        steps: [],
      };
    }
    case "redacted_thinking":
    case "compaction":
      return null;
    default:
      return block satisfies never;
  }
}

function addResult(draft: TranscriptDraft<Transcript>, result: EntryOf<"result">): void {
  const { toolUse } = result;
  const place = draft.openCalls.get(toolUse);
  const item = place === undefined ? undefined : draft.items[place];
  if (place === undefined || item?.kind !== "tool")
    return add(draft, { key: result.id, entry: result, kind: "result", result });
  const openCalls = new Map(draft.openCalls);
  openCalls.delete(toolUse);
  draft.openCalls = openCalls;
  const startedAt = pickLater(item.startedAt, draft.answeredAt);
  draft.items[place] = { ...item, result, startedAt };
}

function addStep(draft: TranscriptDraft<Transcript>, step: EntryOf<"step">): void {
  const place = draft.openCalls.get(step.outer);
  const item = place === undefined ? undefined : draft.items[place];
  if (place !== undefined && item?.kind === "tool")
    draft.items[place] = { ...item, steps: [...item.steps, step] };
}

/** The later of two times (ISO 8601). */
export const pickLater = (a: string, b: string): string => (a > b ? a : b);

/** The entry whose row in the view says whether this item is still sent in full. */
export const sentEntry = (item: Item): EntryId =>
  item.kind === "tool" && item.result !== null ? item.result.id : item.entry.id;

export function itemText(item: Item): string {
  switch (item.kind) {
    case "text":
    case "thinking":
      return item.text;
    case "tool":
      return `${callTitle(item.call.name, item.call.input)}\n${item.result ? blockText(item.result.content) : ""}`;
    case "result":
      return blockText(item.result.content);
    case "user":
    case "context":
      return blockText(item.entry.content);
    case "cut":
      return [item.entry.reason, ...item.entry.changes.map(plainChange)].join("\n");
    case "note":
      return item.entry.text;
    case "restore":
    case "head":
    case "model":
    case "turn":
    case "stop":
      return "";
    default:
      return item satisfies never;
  }
}

const plainChange = (change: Change): string => (change.kind === "input" ? "" : change.text);

export const copyText = (item: Item): string =>
  item.kind === "tool" && item.result ? blockText(item.result.content) : itemText(item);

export const codeBlocks = (text: string): string[] =>
  [...text.matchAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1/gm)].map(
    ([, , code = ""]) => code,
  );
