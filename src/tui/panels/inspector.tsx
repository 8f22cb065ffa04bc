/** Every item of the context: look, choose, pin, drop, restore, bring back, summarise around it. */

import { useMemo } from "react";
import type { EntryId } from "../../protocol/entry.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import type { KeyPress } from "../keys.ts";
import { emptyEditor, type Editor } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitiseLine } from "../sanitise.ts";
import { showTokens } from "../transcript/format.ts";
import type { PanelProps } from "../types.ts";
import { fit, pad } from "../wrap.ts";
import { Frame } from "./frame.tsx";
import { arrange, dropsOf, inspectItems, orders, type InspectorItem } from "./inspect-items.ts";
import { layoutItem, worthLines } from "./inspect-lines.ts";

const hint = "Space choose, p pin, d drop, r restore, s/S summarise, / filter, o sort, Esc close";

export function Inspector(props: PanelProps) {
  const { state, view, rules, reading, options, send, theme, columns, rows, nowMs } = props;
  const at = useLatest(0);
  const order = useLatest(0);
  const filter = useLatest<Editor>(emptyEditor);
  const filtering = useLatest(false);
  const picked = useLatest<ReadonlySet<EntryId>>(new Set());

  // The view is a live look at the path: what is derived of it is good until the path grows.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const all = useMemo(() => inspectItems(view, rules), [state.path, view, rules]);
  const arranged = useLatest<{ of: unknown; how: string; items: InspectorItem[] }>({
    of: null,
    how: "",
    items: [],
  });
  // Asked for at each key: several may come before the next drawing.
  const items = (): InspectorItem[] => {
    const by = orders[order.get() % orders.length] ?? "size";
    const how = `${by} ${filter.get().text}`;
    if (arranged.get().of !== all || arranged.get().how !== how) {
      arranged.keep({ of: all, how, items: arrange(all, by, filter.get().text) });
    }
    return arranged.get().items;
  };
  const place = (): number => Math.max(0, Math.min(at.get(), items().length - 1));
  const current = (): InspectorItem | undefined => items()[place()];
  const chosen = (): InspectorItem[] => {
    if (picked.get().size > 0) return all.filter(({ row }) => picked.get().has(row.entry.id));
    const item = current();
    return item ? [item] : [];
  };
  const moveTo = (to: number): void => at.set(Math.max(0, Math.min(items().length - 1, to)));

  const toggle = (): void => {
    const item = current();
    if (!item) return;
    const next = new Set(picked.get());
    if (!next.delete(item.row.entry.id)) next.add(item.row.entry.id);
    picked.set(next);
    moveTo(place() + 1);
  };
  const toggleAll = (): void =>
    picked.set(picked.get().size > 0 ? new Set() : new Set(items().map(({ row }) => row.entry.id)));
  const pin = (): void => {
    // A mixed choice is pinned as a whole first.
    const on = chosen().some(({ row }) => !row.pinned);
    for (const { row } of chosen()) {
      if (row.pinned !== on) send({ type: "pin", entry: row.entry.id, on });
    }
  };
  const drop = (): void => {
    const drops = dropsOf(
      view,
      chosen().map(({ row }) => row),
    );
    if (drops.length === 0) return;
    const what = `${drops.length} ${drops.length === 1 ? "item" : "items"}`;
    send({ type: "cut", changes: drops, reason: `${what} dropped by hand` });
    picked.set(new Set());
  };
  const restore = (): void => {
    for (const { row } of chosen()) {
      if (row.by === undefined) continue;
      // What a summary covers comes back only with the whole of it; a copy at the end breaks no cache.
      if (row.shown === "covered") send({ type: "recall", entry: row.entry.id });
      else send({ type: "restore", cut: row.by, entry: row.entry.id });
    }
    picked.set(new Set());
  };
  const summarise = (end: "from" | "to") => (): void => {
    const item = current();
    if (item) send({ type: "summarise", [end]: item.row.entry.id });
  };

  const here = current()?.row;
  const worth = useMemo(
    () =>
      worthLines(view, reading, rules, options.policy, {
        rows: chosen().map(({ row }) => row),
        current: here,
      }),
    // Prices walk the path: they are made anew when it, the choice or the cache is another one.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [state.path, picked.get(), here?.entry.id, rules, reading.cache.state],
  );
  const priced = worth.slice(0, Math.max(0, rows - 6));
  const room = Math.max(1, rows - 2 - priced.length - 1);
  const does: Record<string, () => void> = {
    up: () => moveTo(place() - 1),
    down: () => moveTo(place() + 1),
    k: () => moveTo(place() - 1),
    j: () => moveTo(place() + 1),
    pageup: () => moveTo(place() - room),
    pagedown: () => moveTo(place() + room),
    home: () => moveTo(0),
    end: () => moveTo(items().length - 1),
    " ": toggle,
    a: toggleAll,
    p: pin,
    d: drop,
    r: restore,
    s: summarise("to"),
    S: summarise("from"),
    "/": () => filtering.set(true),
    o: () => order.set((order.get() + 1) % orders.length),
  };
  const onFilterKey = ({ chord, text }: KeyPress): void => {
    const isEnd = chord === "enter" || chord === "escape";
    if (isEnd) filtering.set(false);
    if (chord === "enter") return;
    const edited = chord === "escape" ? emptyEditor : editByKey(filter.get(), chord, text);
    if (edited) filter.set(edited);
    at.set(0);
  };
  useKeys("dialog", (event) => {
    if (event.type === "paste") return true;
    if (event.type === "mouse") {
      const step = { wheelUp: -3, wheelDown: 3, press: 0, release: 0 }[event.action];
      if (step !== 0) moveTo(place() + step);
      return step !== 0;
    }
    if (filtering.get()) {
      onFilterKey(event);
      return true;
    }
    const act = does[event.chord];
    act?.();
    return act !== undefined;
  });

  const shown = items();
  const top = Math.max(0, Math.min(place() - Math.floor(room / 2), shown.length - room));
  const lines = shown.slice(top, top + room).map((item, index) => {
    const line = layoutItem(item, picked.get().has(item.row.entry.id), columns, nowMs);
    return top + index === place()
      ? theme.paint("selected", pad(fit(line, columns), columns))
      : line;
  });
  const words = sanitiseLine(filter.get().text);
  const caret = filtering.get() ? theme.paint("selected", " ") : "";
  const hasFilter = filtering.get() || words !== "";
  const count = shown.length === all.length ? `${all.length}` : `${shown.length} of ${all.length}`;
  const sorted = orders[order.get() % orders.length] ?? "size";
  const chose = picked.get().size > 0 ? `, ${picked.get().size} chosen` : "";
  return (
    <Frame
      title={`Inspector: ${count} items by ${sorted}, ${showTokens(reading.usedTokens)} tokens${chose}`}
      hint={hint}
      lines={[
        ...(lines.length === 0 ? ["Nothing here has these words."] : lines),
        ...(hasFilter ? [`${theme.paint("accent", "Filter: ")}${words}${caret}`] : []),
        ...priced.map((line) => theme.paint("dim", fit(line, columns))),
      ]}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}
