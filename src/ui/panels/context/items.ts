/** Every item of the context: select, pin, drop, restore, summarize around it. */

import { counted } from "../../../base/in-words.ts";
import type { Entry, EntryId, Price } from "../../../protocol/entry.ts";
import type { Row, Signals, SummaryRange, View } from "../../../context/types.ts";
import type { Host } from "../host.ts";
import { firstThatFits, fit, type Line, span } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { listDrops } from "../../undo.ts";
import { chooseBadge } from "../../../context/cut-words.ts";
import { formatAge, showTokens, showUsd, wordsOfEntry } from "../../transcript/format.ts";
import { listPanel, type ListPanel } from "../old-list.ts";
import { pagedPanel, type PanelModel, wordFilter } from "../panel.ts";
import { priceChanges } from "../../../context/meter/cache.ts";
import { rowCounter, wholeRowCounter } from "../../../context/view/row-tokens.ts";
import { summaryPlan } from "../../../context/ladder.ts";
import { findDeadWeight } from "../../../context/view/last-use.ts";
import { findCut } from "../../../context/view/rows.ts";
import type { ModelRules } from "../../../protocol/model.ts";

export function inspectorPanel(host: Host, query: string): PanelModel {
  let order = 0;
  let onlyUnused = false;
  let selected: ReadonlySet<EntryId> = new Set();
  const memos = {
    all: new Memo<InspectorItem[]>(),
    arranged: new Memo<InspectorItem[]>(),
    actions: new Memo<string[][]>(),
  };
  const sortedBy = () => orders[order % orders.length] ?? "size";
  const all = (): InspectorItem[] => {
    const { view, rules } = host;
    return memos.all.get([view, view.version, rules], () => inspectItems(view, rules));
  };
  const unused = (): Row[] => all().flatMap(({ row, isUnused }) => (isUnused ? [row] : []));
  const arranged = (filter: string): InspectorItem[] =>
    memos.arranged.get([all(), sortedBy(), filter, onlyUnused], () => {
      const items = onlyUnused ? all().filter(({ isUnused }) => isUnused) : all();
      return arrange(items, sortedBy(), filter);
    });
  /** The selected items, or else the one at the cursor. */
  const chosen = (current: InspectorItem | undefined): Row[] => {
    if (selected.size === 0) return current ? [current.row] : [];
    return all().flatMap(({ row }) => (selected.has(row.entry.id) ? [row] : []));
  };
  const toggle = (item: InspectorItem | undefined): void => {
    if (!item) return;
    selected = selected.symmetricDifference(new Set([item.row.entry.id]));
    list.move(1);
  };
  const pin = (current: InspectorItem | undefined): void => {
    const rows = chosen(current);
    const on = rows.some(({ pinned }) => !pinned);
    for (const row of rows)
      if (row.pinned !== on) host.send({ type: "pin", entry: row.entry.id, on });
  };
  const drop = (current: InspectorItem | undefined): void => {
    const changes = listDrops(host.view, chosen(current));
    if (changes.length === 0)
      return host.notify("Only tool results can be dropped, and only ones that are not pinned.");
    const what = counted(changes.length, "item");
    host.send({ type: "cut", changes, reason: `${what} dropped by hand` });
    selected = new Set();
  };
  /** Everything that nothing used since, as one cut with one undo. */
  const dropUnused = (): void => {
    const changes = listDrops(host.view, unused());
    if (changes.length === 0) return host.notify("Nothing is unused for 10 calls or more.");
    const what = counted(changes.length, "result");
    host.send({ type: "cut", changes, reason: `${what} that nothing used since, cleared by hand` });
  };
  const restore = (current: InspectorItem | undefined): void => {
    for (const row of chosen(current)) {
      if (row.by === undefined) continue;
      // A summary is undone only as a whole; a copy at the end keeps the cache valid.
      if (row.shown === "covered") host.send({ type: "recall", entry: row.entry.id });
      else host.send({ type: "restore", cut: row.by, entry: row.entry.id });
    }
    selected = new Set();
  };
  const summarize = (end: "from" | "to") => (item: InspectorItem | undefined) => {
    if (item) host.send({ type: "summarize", [end]: item.row.entry.id });
  };

  const list: ListPanel = listPanel<InspectorItem>(host, {
    filter: "slash",
    query,
    label: "Filter",
    isFiltered: true,
    keys: {
      k: () => list.move(-1),
      j: () => list.move(1),
      " ": toggle,
      a() {
        const ids = arranged(list.filter).map(({ row }) => row.entry.id);
        selected = new Set(selected.size > 0 ? [] : ids);
      },
      p: pin,
      d: drop,
      D: dropUnused,
      u: () => (onlyUnused = !onlyUnused),
      r: restore,
      s: summarize("to"),
      S: summarize("from"),
      o: () => order++,
    },
    title() {
      const found = arranged(list.filter).length;
      const { length } = all();
      const count = found === length ? `${length}` : `${found} of ${length}`;
      const marked = selected.size > 0 ? `, ${selected.size} selected` : "";
      const size = showTokens(host.reading.usedTokens);
      return `Items: ${count} by ${sortedBy()}, ${size} tokens${marked}${sumUnused(host, all())}`;
    },
    hint: "Enter read · Space select · p pin · d drop · u unused · D clear unused · r restore · s S summarize · / filter · o sort",
    empty: () => (list.filter === "" ? "Nothing has been sent yet." : "No matches."),
    items: arranged,
    footer: actions,
    header: (columns) => (columns >= roomy ? span("dim", fit(header, columns)) : null),
    lines: (item, columns) => [
      layoutItem(item, selected.has(item.row.entry.id), columns, host.nowMs),
    ],
    onChoose({ row, title }) {
      const hint = "↑ ↓ PgUp PgDn scroll · Esc back to the list";
      list.opened = pagedPanel(host, host.services.openOriginal(row.entry), { title, hint });
    },
  });

  function actions(current: InspectorItem | undefined, columns: number): Line[] {
    const { view, reading, rules } = host;
    const keys = [view, view.version, selected, current?.row.entry.id, rules, reading.cache.state];
    const lines = memos.actions.get(keys, () => actionLines(host, chosen(current), current?.row));
    return lines.map((forms) => span("dim", firstThatFits(forms, columns)));
  }

  return list;
}

/** Everything that was ever sent, oldest first. */
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
      // Most items are never scrolled to, so what only a line shows is found when it is shown.
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

/** How many items nothing used since, and what each call pays for them; empty: none. */
function sumUnused({ rules }: Host, items: readonly InspectorItem[]): string {
  const unused = items.filter(({ isUnused }) => isUnused);
  const tokens = unused.reduce((sum, item) => sum + item.tokens, 0);
  const usd = (tokens * rules.prices.cacheRead) / 1_000_000;
  const price = usd > 0 ? `, ${showUsd(usd)} a call` : "";
  return tokens === 0 ? "" : ` · ${unused.length} unused: ${showTokens(tokens)}${price}`;
}

const kinds: Partial<Record<Entry["type"], string>> = { user: "you", assistant: "answer" };

type InspectorItem = {
  readonly row: Row;
  /** In the request now. */
  readonly tokens: number;
  /** Tokens if it were sent in full. */
  readonly wholeTokens: number;
  /** "result", "you", "answer", "context". */
  readonly kind: string;
  /** No call used it since, for long enough to say so. */
  readonly isUnused: boolean;
  /** "pinned", the badge of the tier that cut it, "unused", or empty. */
  readonly state: string;
  readonly title: string;
};

type Order = "size" | "age" | "kind";

const orders: readonly Order[] = ["size", "age", "kind"];

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
          holds(
            `${title} ${kind} ${state} ${row.by === undefined ? "" : "removed"} #${row.entry.id}`,
          ),
        );
  return found.toSorted(comparers[order]);
}

/** In fewer columns than this, age and kind are left out. */
const roomy = 70;

const header = "       tokens  state        age  kind     what";

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

/** The effect of each key on `rows`, or around the item at the cursor, with its price; then shorter. */
function actionLines(now: Signals, rows: readonly Row[], current: Row | undefined): string[][] {
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

/** `free`: what is said of no cost; nothing where nothing has a price. */
function priceForms(
  { usedBefore, usedAfter, cachedBroken, usd, isEstimate }: Price,
  free: string,
): string[] {
  const frees = `frees ${showTokens(usedBefore - usedAfter)} tokens`;
  const costs = usd === 0 ? free : `, costs ${showUsd(usd, isEstimate)}`;
  const broken = cachedBroken === 0 ? "" : `, ${showTokens(cachedBroken)} must be cached again`;
  return [frees + broken + costs, frees + costs];
}
