/** The items of the inspector: everything ever sent, sorted, filtered, as lines. Pure. */

import { priceOf } from "../../../context/meter/cache.ts";
import { wholeTokensOf, tokensOf } from "../../../context/meter/meter.ts";
import { summaryPlan } from "../../../context/ladder.ts";
import { placeholder } from "../../../context/placeholder.ts";
import { isResult } from "../../../context/protect.ts";
import type { Row, View } from "../../../context/types.ts";
import type { Change, Entry, EntryId, Price, TierName } from "../../../protocol/entry.ts";
import type { ModelRules } from "../../../protocol/model.ts";
import type { Host } from "../../host.ts";
import { ageOf, badges, showTokens, showUsd } from "../../transcript/format.ts";
import { fit } from "../../wrap.ts";
import { wordsOfEntry } from "../describe.ts";
import { wordFilter } from "../panel.ts";

/** Everything that was ever sent, oldest first. */
export function inspectItems(view: View, rules: ModelRules): InspectorItem[] {
  const tokens = tokensOf(view, rules);
  const shared = {
    view,
    tiers: new Map(view.cuts.map(({ id, tier }) => [id, tier])),
    wholeTokensOf: wholeTokensOf(view, rules),
  };
  return [...view.rows.entries()].flatMap(([index, row]) =>
    row.shown === "unsent" ? [] : new InspectorItem(shared, row, tokens(row, index)),
  );
}

type Shared = {
  view: View;
  tiers: ReadonlyMap<EntryId, TierName>;
  wholeTokensOf(row: Row): number;
};

const kinds: Partial<Record<Entry["type"], string>> = { user: "you", assistant: "answer" };

/**
 * Most items of a long session are on disk and never scrolled to, so what only the screen shows of an
 * item is found when it is shown.
 */
export class InspectorItem {
  readonly row: Row;
  /** In the request now. */
  readonly tokens: number;
  readonly #shared: Shared;
  #title: string | undefined;

  constructor(shared: Shared, row: Row, tokens: number) {
    this.#shared = shared;
    this.row = row;
    this.tokens = tokens;
  }

  /** Tokens if it were sent in full. */
  get wholeTokens(): number {
    return this.#shared.wholeTokensOf(this.row);
  }

  /** "result", "you", "answer", "context". */
  get kind(): string {
    const { type } = this.row.entry;
    return kinds[type] ?? type;
  }

  /** "pinned", the badge of the tier that cut it, or empty. */
  get state(): string {
    const { pinned, shown, by } = this.row;
    if (pinned) return "pinned";
    if (shown === "whole") return "";
    const tier = this.#shared.tiers.get(by ?? "");
    return tier ? badges[tier] : shown;
  }

  get title(): string {
    return (this.#title ??= wordsOfEntry(this.#shared.view, this.row.entry));
  }
}

type Order = "size" | "age" | "kind";

export const orders: readonly Order[] = ["size", "age", "kind"];

const comparers: Record<Order, (a: InspectorItem, b: InspectorItem) => number> = {
  size: (a, b) => b.tokens - a.tokens,
  age: () => 0,
  kind: (a, b) => a.kind.localeCompare(b.kind) || b.tokens - a.tokens,
};

/** The items whose title, kind, state or id hold every word of the filter, sorted. */
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
          holds(`${title} ${kind} ${state} #${row.entry.id}`),
        );
  return found.toSorted(comparers[order]);
}

/** The changes that drop these rows. Only results can be dropped. */
export function dropsOf(rows: readonly Row[]): Change[] {
  return rows.filter(isResult).flatMap((row): Change[] => {
    const text = placeholder(row, "cleared");
    if (row.shown !== "whole" || row.pinned || row.chars <= text.length) return [];
    return [{ kind: "replace", entry: row.entry.id, text }];
  });
}

/** In fewer columns than this, age and kind are left out. */
const roomy = 70;

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
  const more = isRoomy ? `${ageOf(row.entry.at, nowMs)}  ${kind.padEnd(8)} ` : "";
  const mark = isPicked ? "◉" : " ";
  return fit(`${mark} ${size.padStart(11)}  ${badge}${more}${title}`, columns);
}

/** What the keys would do with `rows`, or around the item at the cursor, each with its price. */
export function actionLines(
  { view, reading, rules, options: { policy } }: Host,
  rows: readonly Row[],
  current: Row | undefined,
): string[] {
  const drops = dropsOf(rows);
  const drop = drops.length > 0 ? priceOf({ view, reading, policy, rules }, drops) : null;
  const summary = (range: { from?: string; to?: string }): Price | null =>
    summaryPlan({ view, reading, policy, rules }, range)?.price ?? null;
  const named: [string, Price | null][] = [
    [`d drop ${drops.length}`, drop],
    ["s summarize up to here", current ? summary({ to: current.entry.id }) : null],
    ["S summarize from here", current ? summary({ from: current.entry.id }) : null],
  ];
  const lines = named.flatMap(([what, price]) => (price ? [`${what}: ${priceWords(price)}`] : []));
  const hidden = rows.filter(({ by }) => by !== undefined).length;
  return hidden > 0 ? [...lines, `r restore ${hidden}`] : lines;
}

const priceWords = ({ usedBefore, usedAfter, cachedBroken, usd }: Price): string =>
  `frees ${showTokens(usedBefore - usedAfter)} tokens${cachedBroken === 0 ? "" : `, invalidates ${showTokens(cachedBroken)} cached ones`}, ${usd === 0 ? "costs nothing" : `costs ${showUsd(usd)}`}`;
