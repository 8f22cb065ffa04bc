/** Undoes a compaction, or restores one entry; if that does not fit, says what to do. */

import { findRow } from "../context/view/rows.ts";
import type { View } from "../context/types.ts";
import { priceRestore } from "../context/meter/cache.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { Shared } from "./shared.ts";
import { showTokens, showUsd } from "./transcript/format.ts";

type Undoing = Pick<Shared, "store" | "actions">;

export function undoCut({ store, actions }: Undoing, cut: EntryId, entry?: EntryId): void {
  const { state, rules, policy, nowMs } = store;
  const target = { cut, entry };
  const { price, excessTokens } = priceRestore(state.path, target, rules, policy, nowMs);
  if (excessTokens > 0) {
    actions.show({ kind: "items" });
    const over = `${showTokens(excessTokens)} tokens over the limit.`;
    return actions.notify(`${over} Drop (d) or summarize (s) items first, then undo.`);
  }
  actions.send({ type: "restore", ...target });
  // Otherwise its transcript row shows it immediately.
  if (store.state.phase === "idle") return;
  const restored = showTokens(price.usedAfter - price.usedBefore);
  actions.notify(`Restores ${restored} tokens for ${showUsd(price.usd)} when this turn ends.`);
}

/** Redoes an undone cut without a model call; only the cache must be rewritten. */
export function redoCut({ store, actions }: Undoing, cut: EntryId): void {
  // The undo notice no longer applies.
  store.dispatch({ type: "set", flash: null });
  actions.send({ type: "restore", cut, redo: true });
}

/** Whether a cut was undone as a whole and not redone since. */
export function wasUndone(cut: EntryId, { cuts, path }: View): boolean {
  if (cuts.some(({ id }) => id === cut)) return false;
  const last = path.findLast(
    (entry) => entry.type === "restore" && entry.cut === cut && entry.entry === undefined,
  );
  return last?.type === "restore" && last.redo !== true;
}

/** Restores one entry. Summarized ones are copied to the end, which keeps the cache valid. */
export async function restoreEntry(on: Undoing, entry: EntryId): Promise<void> {
  const { view } = on.store;
  const { notify, send } = on.actions;
  const row = findRow(view, entry);
  if (!row) return notify("This item is not part of the conversation.");
  if (row.by === undefined) return notify("Already sent in full.");
  if (row.shown !== "covered") return undoCut(on, row.by, entry);
  send({ type: "recall", entry });
  notify("Copied to the end of the context. u on the summary's line undoes all of it.");
}
