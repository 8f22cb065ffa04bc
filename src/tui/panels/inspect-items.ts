/** The items of the inspector: everything ever sent, described, sorted, filtered. Pure. */

import { wholeTokensOf, tokensOf } from "../../context/meter.ts";
import { placeholder } from "../../context/placeholder.ts";
import { isResult } from "../../context/protect.ts";
import type { Row, View } from "../../context/types.ts";
import type { Change, EntryId, TierName } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import { badges } from "../transcript/format.ts";
import { wordsOfEntry } from "./describe.ts";
import { wordFilter } from "./panel.ts";

export const orders = ["size", "age", "kind"] as const;

type Order = (typeof orders)[number];

export type InspectorItem = {
  row: Row;
  /** Tokens in the request now, and if it were sent in full. */
  tokens: number;
  wholeTokens: number;
  /** "result", "you", "answer", "context". */
  kind: string;
  /** "pinned", the badge of the tier that cut it, or empty. */
  state: string;
  title: string;
  /** Milliseconds since the epoch. */
  atMs: number;
};

/** Everything that was ever sent, oldest first. */
export function inspectItems(view: View, rules: ModelRules): InspectorItem[] {
  const tokens = tokensOf(view, rules);
  const whole = wholeTokensOf(view, rules);
  const tiers = new Map(view.cuts.map(({ id, tier }) => [id, tier]));
  return [...view.rows.entries()].flatMap(([index, row]) =>
    row.shown === "unsent" ? [] : new Item(view, row, tokens(row, index), whole(row), tiers),
  );
}

/**
 * Most items of a long session are on disk and never scrolled to, so an item's content is read when
 * it is shown.
 */
class Item implements InspectorItem {
  readonly row: Row;
  readonly tokens: number;
  readonly wholeTokens: number;
  readonly #view: View;
  readonly #tiers: ReadonlyMap<EntryId, TierName>;
  #title: string | undefined;

  constructor(
    view: View,
    row: Row,
    tokens: number,
    wholeTokens: number,
    tiers: ReadonlyMap<EntryId, TierName>,
  ) {
    this.#view = view;
    this.row = row;
    this.tokens = tokens;
    this.wholeTokens = wholeTokens;
    this.#tiers = tiers;
  }

  get kind(): string {
    return kindOf(this.row);
  }

  get state(): string {
    const { pinned, shown, by } = this.row;
    if (pinned) return "pinned";
    if (shown === "whole") return "";
    const tier = this.#tiers.get(by ?? "");
    return tier ? badges[tier] : shown;
  }

  get title(): string {
    return (this.#title ??= wordsOfEntry(this.#view, this.row.entry));
  }

  get atMs(): number {
    return Date.parse(this.row.entry.at) || 0;
  }
}

/** The items whose title, kind, state or id hold every word of the filter, sorted. */
export function arrange(
  items: readonly InspectorItem[],
  order: Order,
  filter: string,
): InspectorItem[] {
  const holds = wordFilter(filter);
  const found =
    filter.trim() === ""
      ? [...items]
      : items.filter(({ row, kind, state, title }) =>
          holds(`${title} ${kind} ${state} #${row.entry.id}`),
        );
  switch (order) {
    case "size":
      return found.sort((a, b) => b.tokens - a.tokens);
    case "kind":
      return found.sort((a, b) => a.kind.localeCompare(b.kind) || b.tokens - a.tokens);
    case "age":
      return found;
    default:
      return order satisfies never;
  }
}

/** The changes that drop these rows. Only results can be dropped. */
export function dropsOf(view: View, rows: readonly Row[]): Change[] {
  return rows.filter(isResult).flatMap((row): Change[] => {
    const text = placeholder(view, row, "cleared");
    if (row.shown !== "whole" || row.pinned || row.chars <= text.length) return [];
    return [{ kind: "replace", entry: row.entry.id, text }];
  });
}

function kindOf({ entry }: Row): string {
  switch (entry.type) {
    case "user":
      return "you";
    case "assistant":
      return "answer";
    default:
      return entry.type;
  }
}
