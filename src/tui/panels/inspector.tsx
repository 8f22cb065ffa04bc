/** Every item of the context by size: choose, pin, drop, restore, bring back, summarise up to. */

import { useCell } from "../cell.ts";
import { priceOf } from "../../context/cache.ts";
import { tokensOf, wholeTokensOf } from "../../context/meter.ts";
import { placeholder } from "../../context/placeholder.ts";
import { isResult } from "../../context/protect.ts";
import type { Row, View } from "../../context/types.ts";
import type { Change, EntryId } from "../../protocol/entry.ts";
import { useKeys } from "../input.tsx";
import { badges, showTokens, showUsd } from "../transcript/looks.ts";
import type { PartProps } from "../types.ts";
import { fit, pad } from "../wrap.ts";
import { describeEntry } from "./describe.ts";
import { Frame } from "./frame.tsx";

type Order = "size" | "age";

export function Inspector(props: PartProps) {
  const { view, rules, reading, options, send, theme, columns, rows } = props;
  const at = useCell(0);
  const order = useCell<Order>("size");
  const picked = useCell<ReadonlySet<EntryId>>(new Set());
  const tokens = tokensOf(view, rules);
  const whole = wholeTokensOf(view, rules);
  const items = itemsOf(view, order.get() === "size" ? tokens : null);
  // Asked for at each key: several may come before the next drawing.
  const current = (): Row | undefined => items[Math.min(at.get(), items.length - 1)];
  const chosen = (): Row[] => {
    const row = current();
    if (picked.get().size > 0) return items.filter(({ entry }) => picked.get().has(entry.id));
    return row ? [row] : [];
  };
  const page = Math.max(1, rows - 2);

  const moveTo = (to: number): void => at.set(Math.max(0, Math.min(items.length - 1, to)));
  const toggle = (): void => {
    const row = current();
    if (!row) return;
    const next = new Set(picked.get());
    if (!next.delete(row.entry.id)) next.add(row.entry.id);
    picked.set(next);
    moveTo(at.get() + 1);
  };
  const pin = (): void => {
    for (const { entry, pinned } of chosen()) send({ type: "pin", entry: entry.id, on: !pinned });
  };
  const drop = (): void => {
    const drops = dropsOf(view, chosen());
    if (drops.length === 0) return;
    send({ type: "cut", changes: drops, reason: `${drops.length} items dropped by hand` });
    picked.set(new Set());
  };
  const restore = (): void => {
    for (const row of chosen()) {
      if (row.by === undefined) continue;
      // What a summary covers comes back only with the whole of it; a copy at the end breaks no cache.
      if (row.shown === "covered") send({ type: "recall", entry: row.entry.id });
      else send({ type: "restore", cut: row.by, entry: row.entry.id });
    }
  };
  const summariseTo = (): void => {
    const row = current();
    if (row) send({ type: "summarise", to: row.entry.id });
  };
  const does: Record<string, () => void> = {
    up: () => moveTo(at.get() - 1),
    down: () => moveTo(at.get() + 1),
    k: () => moveTo(at.get() - 1),
    j: () => moveTo(at.get() + 1),
    pageup: () => moveTo(at.get() - page),
    pagedown: () => moveTo(at.get() + page),
    home: () => moveTo(0),
    end: () => moveTo(items.length - 1),
    " ": toggle,
    p: pin,
    d: drop,
    r: restore,
    s: summariseTo,
    o: () => order.set(order.get() === "size" ? "age" : "size"),
  };
  useKeys("dialog", (event) => {
    const act = event.type === "key" ? does[event.chord] : undefined;
    act?.();
    return act !== undefined;
  });

  const drops = dropsOf(view, chosen());
  const price = drops.length > 0 ? priceOf(view, reading, drops, rules, options.policy) : null;
  const worth = price
    ? `drop: ${showTokens(price.usedBefore - price.usedAfter)} freed, ${showTokens(price.cachedBroken)} cached broken, ${showUsd(price.usd)}`
    : "";
  const lines = items.map((row, index) => {
    const mark = picked.get().has(row.entry.id) ? "◉" : " ";
    const state = row.pinned ? "pinned" : stateOf(view, row);
    const size =
      row.shown === "whole"
        ? showTokens(tokens(row))
        : `${showTokens(tokens(row))}/${showTokens(whole(row))}`;
    const line = `${mark} ${size.padStart(11)}  ${`#${row.entry.id}`.padEnd(7)} ${state.padEnd(10)} ${describeEntry(view, row.entry)}`;
    return index === at.get() ? theme.paint("selected", pad(fit(line, columns), columns)) : line;
  });
  const hint = `Space chooses · p pins · d drops · r restores · s summarises up to here · o sorts · ${worth || "Esc closes"}`;
  const from = Math.max(0, Math.min(at.get() - Math.floor(page / 2), lines.length - page));
  const title = `Inspector: ${items.length} items by ${order.get()}, ${showTokens(reading.usedTokens)} tokens`;
  return (
    <Frame
      title={title}
      hint={hint}
      lines={lines}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}

/** What was ever sent, largest first or in order. */
export function itemsOf(view: View, size: ((row: Row) => number) | null): Row[] {
  const sent = view.rows.filter(({ shown }) => shown !== "aside");
  return size ? sent.toSorted((a, b) => size(b) - size(a)) : sent;
}

/** The cut that dropping these rows would be: results only, for words and calls keep their place. */
export function dropsOf(view: View, rows: readonly Row[]): Change[] {
  return rows.filter(isResult).flatMap((row): Change[] => {
    const text = placeholder(view, row, "cleared");
    if (row.shown !== "whole" || row.pinned || row.chars <= text.length) return [];
    return [{ kind: "replace", entry: row.entry.id, text }];
  });
}

function stateOf(view: View, row: Row): string {
  if (row.shown === "whole") return "";
  const cut = view.cuts.find(({ id }) => id === row.by);
  return cut ? badges[cut.tier] : row.shown;
}
