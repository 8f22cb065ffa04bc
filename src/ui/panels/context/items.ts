/** Context items for the inspector. */

import type { Entry, Price } from "../../../protocol/entry.ts";
import type { Row, Signals, SummaryRange, View } from "../../../context/types.ts";
import { fit } from "../../painted-text.ts";
import { listDrops } from "../../undo.ts";
import { chooseBadge } from "../../../context/cut-words.ts";
import { formatAge, showTokens, showUsd, wordsOfEntry } from "../../transcript/format.ts";
import { wordFilter } from "../navigation.ts";
import { priceChanges } from "../../../context/meter/cache.ts";
import { rowCounter, wholeRowCounter } from "../../../context/view/row-tokens.ts";
import { summaryPlan } from "../../../context/ladder.ts";
import { findDeadWeight } from "../../../context/evidence.ts";
import { findCut } from "../../../context/view/rows.ts";
import type { ModelRules } from "../../../protocol/model.ts";

/** All items ever sent, oldest first. */
export function inspectItems(view: View, rules: ModelRules): InspectorItem[] {
  const tokens = rowCounter(view, rules);
  const whole = wholeRowCounter(view, rules);
  const dead = new Set<Row>(findDeadWeight(view).map(({ row }) => row));
  return [...view.rows.entries()].flatMap(([index, row]) => {
    if (row.shown === "unsent") return [];
    const { pinned, shown, entry } = row;
    let title: string | undefined;
    const item: InspectorItem = {
      row,
      tokens: tokens(row, index),
      // Lazy: most items are never scrolled into view.
      get wholeTokens() {
        return whole(row);
      },
      kind: kinds[entry.type] ?? entry.type,
      isUnused: dead.has(row),
      get state() {
        if (pinned) return "pinned";
        const cut = shown === "whole" ? undefined : findCut(view, row);
        if (cut) return chooseBadge(cut, entry.id);
        if (shown !== "whole") return shown;
        return dead.has(row) ? unusedWord : "";
      },
      get title() {
        return (title ??= wordsOfEntry(view, entry));
      },
    };
    return [item];
  });
}

const unusedWord = "unused";

/** Number of unused items and their price per call; empty: none. */
export function sumUnused(rules: ModelRules, items: readonly InspectorItem[]): string {
  const unused = items.filter(({ isUnused }) => isUnused);
  const tokens = unused.reduce((sum, item) => sum + item.tokens, 0);
  const usd = (tokens * rules.prices.cacheRead) / 1_000_000;
  const price = usd > 0 ? `, ${showUsd(usd)} a call` : "";
  return tokens === 0 ? "" : ` · ${unused.length} unused: ${showTokens(tokens)}${price}`;
}

const kinds: Partial<Record<Entry["type"], string>> = { user: "you", assistant: "answer" };

export type InspectorItem = {
  readonly row: Row;
  /** Part of the current request. */
  readonly tokens: number;
  /** Tokens when sent in full. */
  readonly wholeTokens: number;
  /** "result", "you", "answer", "context". */
  readonly kind: string;
  /** Not used by the last ten calls or more. */
  readonly isUnused: boolean;
  /** "pinned", the badge of the tier that cut it, "unused", or empty. */
  readonly state: string;
  readonly title: string;
};

type Order = "size" | "age" | "kind";

export const orders: readonly Order[] = ["size", "age", "kind"];

const comparers: Record<Order, (a: InspectorItem, b: InspectorItem) => number> = {
  size: (a, b) => b.tokens - a.tokens,
  age: () => 0,
  kind: (a, b) => a.kind.localeCompare(b.kind) || b.tokens - a.tokens,
};

/** Items that match every word of the filter by title, kind, state or id; sorted. */
export function arrange(
  items: readonly InspectorItem[],
  order: Order,
  filter: string,
): InspectorItem[] {
  const holds = wordFilter(filter);
  const found =
    filter.trim() === ""
      ? items
      : items.filter(({ row, kind, state, title }) =>
          holds(
            `${title} ${kind} ${state} ${row.by === undefined ? "" : "removed"} #${row.entry.id}`,
          ),
        );
  return found.toSorted(comparers[order]);
}

/** Minimum width for the columns age and kind. */
const roomy = 70;

export const itemHeader = {
  minColumns: roomy,
  text: "       tokens  state        age  kind     what",
};

export function layoutItem(
  { row, tokens, wholeTokens, kind, state, title }: InspectorItem,
  isPicked: boolean,
  columns: number,
  nowMs: number,
): string {
  const size =
    row.shown === "whole" ? showTokens(tokens) : `${showTokens(tokens)}/${showTokens(wholeTokens)}`;
  const isRoomy = columns >= roomy;
  const badge = isRoomy ? `${state.padEnd(10)} ` : state === "" ? "" : `${state} `;
  const more = isRoomy ? `${formatAge(row.entry.at, nowMs)}  ${kind.padEnd(8)} ` : "";
  const mark = isPicked ? "◉" : " ";
  return fit(`${mark} ${size.padStart(11)}  ${badge}${more}${title}`, columns);
}

/** Effect and price of each key for `rows` or the item at the cursor; longest form first. */
export function actionLines(
  now: Signals,
  rows: readonly Row[],
  current: Row | undefined,
): string[][] {
  const drops = listDrops(now.view, rows);
  const drop = drops.length > 0 ? priceChanges(now, drops) : null;
  const summary = (range: SummaryRange): Price | null => summaryPlan(now, range)?.price ?? null;
  const named: [string, Price | null][] = [
    [`d drop ${drops.length}`, drop],
    ["s summarize up to here", current ? summary({ to: current.entry.id }) : null],
    ["S summarize from here", current ? summary({ from: current.entry.id }) : null],
  ];
  const free = now.rules.prices.input > 0 ? ", costs nothing" : "";
  const lines = named.flatMap(([what, price]) =>
    price ? [priceForms(price, free).map((form) => `${what}: ${form}`)] : [],
  );
  const hidden = rows.filter(({ by }) => by !== undefined).length;
  return hidden > 0 ? [...lines, [`r restore ${hidden}`]] : lines;
}

/** `free`: text for a cost of zero; unused if the model has no prices. */
function priceForms(
  { usedBefore, usedAfter, cachedBroken, usd, isEstimate }: Price,
  free: string,
): string[] {
  const frees = `frees ${showTokens(usedBefore - usedAfter)} tokens`;
  const costs = usd === 0 ? free : `, costs ${showUsd(usd, isEstimate)}`;
  const broken = cachedBroken === 0 ? "" : `, ${showTokens(cachedBroken)} must be cached again`;
  return [frees + broken + costs, frees + costs];
}
