/**
 * Packed chunks of a long session's lists: entries and items that are hardly ever shown again are
 * kept as a few numbers each, and rebuilt when the user scrolls to them.
 */

import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { numberOf } from "../protocol/by-entry.ts";
import type { Usage } from "../protocol/model.ts";
import { CallItem, SaidItem } from "./block-items.ts";
import { wholeItem, type Item } from "./items.ts";
import type { Pack } from "./list.ts";

/** Finds an entry of the log. */
export type Find = (id: EntryId) => Entry | undefined;

const most = 2 ** 32 - 1;

/** Zero for an entry that is not in the log, or whose id has another form than the log's. */
function packedEntry({ id }: Entry): number {
  const number = numberOf(id);
  return number <= most ? number : 0;
}

export const packEntries =
  (find: Find): Pack<Entry> =>
  (chunk) => {
    const numbers = new Uint32Array(chunk.map(packedEntry));
    if (numbers.includes(0)) return chunk.map((entry) => find(entry.id) ?? entry);
    return { at: (index) => find(`e${numbers[index]}`) };
  };

/** Numbers of each item: its form, its entry, the index of its block, and two that depend on the form. */
const width = 5;

/** The forms of the items that an entry becomes. */
const forms = ["whole", "text", "thinking", "tool", "turn"] as const;

type Packed = readonly [form: number, entry: number, block: number, a: number, b: number];

const formOf = (name: (typeof forms)[number]): number => forms.indexOf(name);

export const packItems =
  (find: Find): Pack<Item> =>
  (chunk) => {
    const numbers = new Uint32Array(chunk.length * width);
    const others = new Map<number, Item>();
    for (const [index, item] of chunk.entries()) {
      const packed = packItem(item);
      if (packed) numbers.set(packed, index * width);
      else others.set(index, withFound(item, find));
    }
    return {
      at(index) {
        const from = index * width;
        const number = (n: number): number => numbers[from + n] ?? 0;
        const packed = [number(0), number(1), number(2), number(3), number(4)] as const;
        return others.get(index) ?? unpackItem(packed, find);
      },
    };
  };

/** Null for an item that holds more than this. */
function packItem(item: Item): Packed | null {
  const entry = packedEntry(item.entry);
  if (entry === 0) return null;
  switch (item.kind) {
    case "text":
    case "thinking":
      return [formOf(item.kind), entry, item.index, 0, 0];
    case "tool": {
      const result = item.result === null ? 0 : packedEntry(item.result);
      const isWhole = item.waited === null && (item.result === null || result > 0);
      return isWhole ? [formOf("tool"), entry, item.index, item.groupStart, result] : null;
    }
    case "turn": {
      const isPlain = item.subagents.length === 0 && item.elsewhereUsd === 0 && item.ms <= most;
      return isPlain ? [formOf("turn"), entry, 0, item.toolCalls, item.ms] : null;
    }
    case "stop":
      return null;
    default:
      return [formOf("whole"), entry, 0, 0, 0];
  }
}

/** The same item with the log's own entries, which may leave their content on disk. */
function withFound(item: Item, find: Find): Item {
  const entry = find(item.entry.id);
  if (!entry) return item;
  switch (item.kind) {
    case "stop":
    case "turn":
      return { ...item, entry };
    case "text":
    case "thinking":
      return entry.type === "assistant" ? new SaidItem(entry, item.index, item.kind) : item;
    case "tool": {
      const { index, groupStart, waited } = item;
      const found = find(item.result?.id ?? "");
      const result = found?.type === "result" ? found : item.result;
      return entry.type === "assistant"
        ? new CallItem(entry, index, groupStart, result, waited)
        : item;
    }
    default:
      return wholeItem(entry) ?? item;
  }
}

function unpackItem([form, number, block, a, b]: Packed, find: Find): Item | undefined {
  const entry = find(`e${number}`);
  const name = forms[form];
  if (!entry || name === "whole") return entry && wholeItem(entry);
  if (entry.type !== "assistant") return undefined;
  switch (name) {
    case "text":
    case "thinking":
      return new SaidItem(entry, block, name);
    case "tool": {
      const result = b === 0 ? undefined : find(`e${b}`);
      return new CallItem(entry, block, a, result?.type === "result" ? result : null);
    }
    case "turn":
      return {
        key: `${entry.id}.turn`,
        entry,
        kind: "turn",
        ms: b,
        toolCalls: a,
        get usages() {
          return usagesTo(entry, find);
        },
        subagents: [],
        elsewhereUsd: 0,
      };
    default:
      return undefined;
  }
}

/** Usage of the answers since the user's message that started the turn. */
function usagesTo(end: EntryOf<"assistant">, find: Find): readonly Usage[] {
  const usages: Usage[] = [];
  let entry: Entry | undefined = end;
  while (entry && (entry.type !== "user" || entry.midTurn)) {
    if (entry.type === "assistant") {
      if (entry !== end && entry.stop === "end_turn") break;
      usages.unshift(entry.usage);
    }
    entry = find(entry.parent ?? "");
  }
  return usages;
}
