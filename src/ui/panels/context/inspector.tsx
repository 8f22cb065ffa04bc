import { type ReactNode, useMemo, useState } from "react";
import { counted } from "../../../base/format.ts";
import { chooseBadge } from "../../../context/describe-cut.ts";
import { summaryPlan } from "../../../context/ladder.ts";
import { priceChanges } from "../../../context/meter/cache.ts";
import type { Row, Signals, SummaryRange, View } from "../../../context/types.ts";
import { findDeadWeight, listDrops } from "../../../context/evidence.ts";
import { findCut, rowCounter, wholeRowCounter } from "../../../context/view/rows.ts";
import type { Entry, EntryId, Price } from "../../../protocol/entry.ts";
import type { ModelRules } from "../../../protocol/model.ts";
import { Memo } from "../../memo.ts";
import { fit } from "../../painted-text.ts";
import { useActions, useServices, useStore } from "../../screen-context.ts";
import { type Line, span } from "../../spans.ts";
import { formatAge, showTokens, showUsd, wordsOfEntry } from "../../transcript/format.ts";
import { ListPanel } from "../list-panel.tsx";
import { wordFilter } from "../navigation.ts";
import { PagedPanel } from "../text-panel.tsx";
import { usePanelSize } from "../panel-box.tsx";
import { useTabs } from "./tabs.ts";

const undroppable =
  "Only tool results can be dropped: not pinned ones, and none as short as its placeholder.";

const hint =
  "Enter read · Space select · p pin · d drop · D clear unused · r restore · s S summarize · / filter · o sort · a all";

/** Every item of the context: select, pin, drop, restore, summarize around it. */
export function InspectorPanel({ argument: query }: { argument: string }): ReactNode {
  const store = useStore();
  const { view, rules, reading, nowMs } = store;
  const { openOriginal } = useServices();
  const { send, notify } = useActions();
  const tabs = useTabs("items");
  const { columns } = usePanelSize();
  const [byAge, setByAge] = useState(false);
  const [filter, setFilter] = useState(query);
  const [selected, setSelected] = useState<ReadonlySet<EntryId>>(new Set());
  const [read, setRead] = useState<InspectorItem | null>(null);
  const [memo] = useState(() => new Memo<string[]>());
  const all = useMemo(() => inspectItems(view, rules), [view, view.version, rules]);
  const unused = useMemo(() => all.filter(({ isUnused }) => isUnused), [all]);
  const shown = useMemo(() => arrange(all, byAge, filter), [all, byAge, filter]);
  /** The selected items, or the one at the cursor. */
  const rowsOf = (item: InspectorItem | undefined): Row[] =>
    selected.size === 0
      ? [item?.row].filter((row) => row !== undefined)
      : all.flatMap(({ row }) => (selected.has(row.entry.id) ? [row] : []));

  function pin(rows: readonly Row[]): void {
    const on = rows.some(({ pinned }) => !pinned);
    for (const row of rows) if (row.pinned !== on) send({ type: "pin", entry: row.entry.id, on });
  }

  function drop(rows: readonly Row[], what = "item", none = undroppable): void {
    const changes = listDrops(view, rules, rows);
    if (changes.length === 0) return notify(none);
    send({ type: "cut", changes, reason: `${counted(changes.length, what)} dropped by hand` });
    setSelected(new Set());
  }

  function restore(rows: readonly Row[]): void {
    for (const { by, shown, entry } of rows) {
      if (by === undefined) continue;
      // A summary can only be undone as a whole; copying one entry to the end keeps the cache valid.
      if (shown === "covered") send({ type: "recall", entry: entry.id });
      else send({ type: "restore", cut: by, entry: entry.id });
    }
    setSelected(new Set());
  }

  function describeActions(item: InspectorItem | undefined): Line[] {
    const keys = [view, view.version, selected, item?.row.entry.id, rules, reading.cache.state];
    const lines = memo.get(keys, () => actionLines(store, rowsOf(item), item?.row));
    return lines.map((line) => span("dim", fit(line, columns)));
  }

  const count = shown.length === all.length ? `${all.length}` : `${shown.length} of ${all.length}`;
  const marked = selected.size > 0 ? `, ${selected.size} selected` : "";
  return (
    <ListPanel
      tabs={tabs}
      title={`Items: ${count} by ${byAge ? "age" : "size"}, ${showTokens(reading.usedTokens)} tokens${marked}${sumUnused(rules, unused)}`}
      hint={`${hint} · Esc close`}
      empty={filter === "" ? "Nothing has been sent yet." : "No matches."}
      items={shown}
      lines={(item) => [layoutItem(item, selected.has(item.row.entry.id), columns, nowMs)]}
      footer={describeActions}
      filter="slash"
      label="Filter"
      query={query}
      onFilter={setFilter}
      onChoose={setRead}
      keys={{
        " ": (item, move) => {
          if (!item) return;
          setSelected(selected.symmetricDifference(new Set([item.row.entry.id])));
          move(1);
        },
        a: () =>
          setSelected(new Set(selected.size > 0 ? [] : shown.map(({ row }) => row.entry.id))),
        p: (item) => pin(rowsOf(item)),
        d: (item) => drop(rowsOf(item)),
        D: () =>
          drop(
            unused.map(({ row }) => row),
            "unused result",
            "Nothing is unused for 10 calls or more.",
          ),
        r: (item) => restore(rowsOf(item)),
        s: (item) => item && send({ type: "summarize", to: item.row.entry.id }),
        S: (item) => item && send({ type: "summarize", from: item.row.entry.id }),
        o: () => setByAge(!byAge),
      }}
      opened={
        read && (
          <PagedPanel
            tabs={tabs}
            open={() => openOriginal(read.row.entry)}
            title={read.title}
            hint="↑ ↓ PgUp PgDn scroll · Esc back to the list"
          />
        )
      }
      onBack={() => setRead(null)}
    />
  );
}

type InspectorItem = {
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

const kinds: Partial<Record<Entry["type"], string>> = { user: "you", assistant: "answer" };

/** All items ever sent, oldest first. */
function inspectItems(view: View, rules: ModelRules): InspectorItem[] {
  const tokens = rowCounter(view, rules);
  const whole = wholeRowCounter(view, rules);
  const dead = new Set<Row>(findDeadWeight(view, rules).map(({ row }) => row));
  return [...view.rows.entries()].flatMap(([index, row]): InspectorItem[] => {
    if (row.shown === "unsent") return [];
    const { pinned, shown, entry } = row;
    return [
      {
        row,
        tokens: tokens(row, index),
        // Lazy: most items are never scrolled into view.
        get wholeTokens() {
          return whole(row);
        },
        isUnused: dead.has(row),
        kind: kinds[entry.type] ?? entry.type,
        get state() {
          if (pinned) return "pinned";
          const cut = shown === "whole" ? undefined : findCut(view, row);
          if (cut) return chooseBadge(cut, entry.id);
          if (shown !== "whole") return shown;
          return dead.has(row) ? "unused" : "";
        },
        get title() {
          return wordsOfEntry(view, entry);
        },
      },
    ];
  });
}

/** Number of unused items and their price per call; empty: none. */
function sumUnused(rules: ModelRules, unused: readonly InspectorItem[]): string {
  const tokens = unused.reduce((sum, item) => sum + item.tokens, 0);
  const usd = (tokens * rules.prices.cacheRead) / 1_000_000;
  const price = usd > 0 ? `, ${showUsd(usd)} a call` : "";
  return tokens === 0 ? "" : ` · ${unused.length} unused: ${showTokens(tokens)}${price}`;
}

/** Items that match every word of the filter by title, kind, state or id; the largest first, or by age. */
function arrange(
  items: readonly InspectorItem[],
  byAge: boolean,
  filter: string,
): readonly InspectorItem[] {
  const holds = wordFilter(filter);
  const text = ({ row, kind, state, title }: InspectorItem): string =>
    `${title} ${kind} ${state} ${row.by === undefined ? "" : "removed"} #${row.entry.id}`;
  const found = filter.trim() === "" ? items : items.filter((item) => holds(text(item)));
  return byAge ? found : found.toSorted((a, b) => b.tokens - a.tokens);
}

/** Minimum width for the columns age and kind. */
const roomy = 70;

function layoutItem(
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

/** Effect and price of each key for `rows` or the item at the cursor. */
function actionLines(now: Signals, rows: readonly Row[], current: Row | undefined): string[] {
  const drops = listDrops(now.view, now.rules, rows);
  const summary = (range: SummaryRange): Price | null =>
    current ? (summaryPlan(now, range)?.price ?? null) : null;
  const named: [string, Price | null][] = [
    [`d drop ${drops.length}`, drops.length > 0 ? priceChanges(now, drops) : null],
    ["s summarize up to here", summary({ to: current?.entry.id ?? "" })],
    ["S summarize from here", summary({ from: current?.entry.id ?? "" })],
  ];
  const lines = named.flatMap(([what, price]) =>
    price ? [`${what}: ${describePrice(price)}`] : [],
  );
  const hidden = rows.filter(({ by }) => by !== undefined).length;
  return hidden > 0 ? [...lines, `r restore ${hidden}`] : lines;
}

function describePrice({ usedBefore, usedAfter, cachedBroken, usd, isEstimate }: Price): string {
  const costs = usd === 0 ? "" : `, costs ${showUsd(usd, isEstimate)}`;
  const broken = cachedBroken === 0 ? "" : `, ${showTokens(cachedBroken)} must be cached again`;
  return `frees ${showTokens(usedBefore - usedAfter)} tokens${costs}${broken}`;
}
