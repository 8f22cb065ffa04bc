/** Every item of the context: select, pin, drop, restore, summarize around it. */

import { counted } from "../../../base/in-words.ts";
import type { EntryId } from "../../../protocol/entry.ts";
import type { Row } from "../../../context/types.ts";
import type { Host } from "../../host.ts";
import { span, type Line } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { showTokens } from "../../transcript/format.ts";
import { fit } from "../../wrap.ts";
import {
  actionLines,
  arrange,
  dropsOf,
  inspectItems,
  layoutItem,
  orders,
  type InspectorItem,
} from "./item-list.ts";
import { listPanel, type ListPanel } from "../list-panel.ts";
import type { PanelModel } from "../panel.ts";

const hint =
  "Space select · p pin · d drop · r restore · s S summarize · / filter · o sort · Esc close";

export function inspectorPanel(
  host: Host,
  { query = "", selected: picked }: { query?: string; selected?: readonly EntryId[] },
): PanelModel {
  let order = 0;
  let selected: ReadonlySet<EntryId> = new Set(picked);
  const memos = {
    all: new Memo<InspectorItem[]>(),
    arranged: new Memo<InspectorItem[]>(),
    actions: new Memo<string[]>(),
  };
  const sortedBy = () => orders[order % orders.length] ?? "size";
  const all = (): InspectorItem[] => {
    const { view, rules } = host;
    return memos.all.get([view, view.version, rules], () => inspectItems(view, rules));
  };
  const arranged = (filter: string): InspectorItem[] =>
    memos.arranged.get([all(), sortedBy(), filter], () => arrange(all(), sortedBy(), filter));
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
    const changes = dropsOf(chosen(current));
    if (changes.length === 0)
      return host.flash("Only tool results can be dropped, and only ones that are not pinned.");
    const what = counted(changes.length, "item");
    host.send({ type: "cut", changes, reason: `${what} dropped by hand` });
    selected = new Set();
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
      r: restore,
      s: summarize("to"),
      S: summarize("from"),
      o: () => order++,
    },
    content(filter) {
      const items = arranged(filter);
      const { length } = all();
      const count = items.length === length ? `${length}` : `${items.length} of ${length}`;
      const marked = selected.size > 0 ? `, ${selected.size} selected` : "";
      return {
        title: `Items: ${count} by ${sortedBy()}, ${showTokens(host.reading.usedTokens)} tokens${marked}`,
        hint,
        empty: filter === "" ? "Nothing has been sent yet." : "No matches.",
        items,
        footer: actions,
      };
    },
    lines: (item, columns) => [
      layoutItem(item, selected.has(item.row.entry.id), columns, host.nowMs),
    ],
    onChoose: toggle,
  });

  /** What the keys would do now, each with its price. */
  function actions(current: InspectorItem | undefined, columns: number): Line[] {
    const { view, reading, rules } = host;
    const keys = [view, view.version, selected, current?.row.entry.id, rules, reading.cache.state];
    const lines = memos.actions.get(keys, () => actionLines(host, chosen(current), current?.row));
    return lines.map((line) => span("dim", fit(line, columns)));
  }

  return list;
}
