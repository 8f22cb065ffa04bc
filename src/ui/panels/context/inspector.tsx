import { type ReactNode, useMemo, useState } from "react";
import { counted } from "../../../base/format.ts";
import type { Row } from "../../../context/types.ts";
import type { EntryId } from "../../../protocol/entry.ts";
import { Memo } from "../../memo.ts";
import { firstThatFits, fit } from "../../painted-text.ts";
import { useActions, useServices, useStore } from "../../screen-context.ts";
import { type Line, span } from "../../spans.ts";
import { showTokens } from "../../transcript/format.ts";
import { listDrops } from "../../undo.ts";
import { ListPanel } from "../list-panel.tsx";
import { PagedPanel } from "../paged-panel.tsx";
import { usePanelSize } from "../panel-box.tsx";
import {
  actionLines,
  arrange,
  type InspectorItem,
  inspectItems,
  itemHeader,
  layoutItem,
  orders,
  sumUnused,
} from "./items.ts";
import { useTabs } from "./tabs.ts";

const hint =
  "Enter read · Space select · p pin · d drop · u unused · D clear unused · r restore · s S summarize · / filter · o sort";

/** Every item of the context: select, pin, drop, restore, summarize around it. */
export function InspectorPanel({ argument: query }: { argument: string }): ReactNode {
  const store = useStore();
  const { view, rules, reading, nowMs } = store;
  const { openOriginal } = useServices();
  const tabs = useTabs("items");
  const { columns } = usePanelSize();
  const [sort, setSort] = useState(0);
  const [onlyUnused, setOnlyUnused] = useState(false);
  const [filter, setFilter] = useState(query);
  const [selected, setSelected] = useState<ReadonlySet<EntryId>>(new Set());
  const [read, setRead] = useState<InspectorItem | null>(null);
  const [memo] = useState(() => new Memo<string[][]>());
  const order = orders[sort % orders.length] ?? "size";
  const all = useMemo(() => inspectItems(view, rules), [view, view.version, rules]);
  const shown = useMemo(
    () => arrange(onlyUnused ? all.filter(({ isUnused }) => isUnused) : all, order, filter),
    [all, order, filter, onlyUnused],
  );
  /** The selected items, or the one at the cursor. */
  const rowsOf = (item: InspectorItem | undefined): Row[] =>
    selected.size === 0
      ? [item?.row].filter((row) => row !== undefined)
      : all.flatMap(({ row }) => (selected.has(row.entry.id) ? [row] : []));
  const act = useItemActions(all);

  function describeActions(item: InspectorItem | undefined): Line[] {
    const keys = [view, view.version, selected, item?.row.entry.id, rules, reading.cache.state];
    const lines = memo.get(keys, () => actionLines(store, rowsOf(item), item?.row));
    return lines.map((forms) => span("dim", firstThatFits(forms, columns)));
  }

  const count = shown.length === all.length ? `${all.length}` : `${shown.length} of ${all.length}`;
  const marked = selected.size > 0 ? `, ${selected.size} selected` : "";
  const size = showTokens(reading.usedTokens);
  return (
    <ListPanel
      tabs={tabs}
      title={`Items: ${count} by ${order}, ${size} tokens${marked}${sumUnused(rules, all)}`}
      hint={hint}
      empty={filter === "" ? "Nothing has been sent yet." : "No matches."}
      header={columns >= itemHeader.minColumns ? span("dim", fit(itemHeader.text, columns)) : null}
      items={shown}
      lines={(item) => [layoutItem(item, selected.has(item.row.entry.id), columns, nowMs)]}
      footer={describeActions}
      filter="slash"
      label="Filter"
      isFiltered
      query={query}
      onFilter={setFilter}
      onChoose={setRead}
      keys={{
        k: (_, list) => list.move(-1),
        j: (_, list) => list.move(1),
        " ": (item, list) => {
          if (!item) return;
          setSelected(selected.symmetricDifference(new Set([item.row.entry.id])));
          list.move(1);
        },
        a: () =>
          setSelected(new Set(selected.size > 0 ? [] : shown.map(({ row }) => row.entry.id))),
        p: (item) => act.pin(rowsOf(item)),
        d: (item) => act.drop(rowsOf(item)) && setSelected(new Set()),
        D: act.dropUnused,
        u: () => setOnlyUnused(!onlyUnused),
        r(item) {
          act.restore(rowsOf(item));
          setSelected(new Set());
        },
        s: (item) => item && act.summarize({ to: item.row.entry.id }),
        S: (item) => item && act.summarize({ from: item.row.entry.id }),
        o: () => setSort(sort + 1),
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

function useItemActions(all: readonly InspectorItem[]) {
  const { view } = useStore();
  const { send, notify } = useActions();
  return {
    pin(rows: readonly Row[]): void {
      const on = rows.some(({ pinned }) => !pinned);
      for (const row of rows) if (row.pinned !== on) send({ type: "pin", entry: row.entry.id, on });
    },
    /** False: nothing to drop. */
    drop(rows: readonly Row[]): boolean {
      const changes = listDrops(view, rows);
      const reason = `${counted(changes.length, "item")} dropped by hand`;
      if (changes.length > 0) send({ type: "cut", changes, reason });
      else notify("Only tool results can be dropped, and only ones that are not pinned.");
      return changes.length > 0;
    },
    /** Clears all unused results as one cut with one undo. */
    dropUnused(): void {
      const unused = all.flatMap(({ row, isUnused }) => (isUnused ? [row] : []));
      const changes = listDrops(view, unused);
      const what = counted(changes.length, "result");
      const reason = `${what} that nothing used since, cleared by hand`;
      if (changes.length > 0) send({ type: "cut", changes, reason });
      else notify("Nothing is unused for 10 calls or more.");
    },
    restore(rows: readonly Row[]): void {
      for (const { by, shown, entry } of rows) {
        if (by === undefined) continue;
        // A summary can only be undone as a whole; copying one entry to the end keeps the cache valid.
        if (shown === "covered") send({ type: "recall", entry: entry.id });
        else send({ type: "restore", cut: by, entry: entry.id });
      }
    },
    summarize: (range: { to: EntryId } | { from: EntryId }) =>
      send({ type: "summarize", ...range }),
  };
}
