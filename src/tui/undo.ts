/** Undoes a compaction, or restores one entry; if that does not fit, says what to do. */

import { priceOfRestore } from "../context/restore.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { Host } from "./host.ts";
import { itemsOf } from "./list.ts";
import { showTokens } from "./transcript/format.ts";

type UndoHost = Pick<
  Host,
  "state" | "view" | "rules" | "options" | "nowMs" | "dispatch" | "send" | "flash"
>;

export function undoCut(host: UndoHost, cut: EntryId, entry?: EntryId): void {
  const { state, rules, options, nowMs } = host;
  const target = { cut, ...(entry === undefined ? {} : { entry }) };
  const path = [...itemsOf(state.path)];
  const { price, excessTokens } = priceOfRestore(path, target, rules, options.policy, nowMs);
  if (excessTokens > 0) {
    host.dispatch({ type: "panel", panel: { kind: "context", tab: "items" } });
    return host.flash(
      `${showTokens(excessTokens)} tokens over the limit: drop (d) or summarize (s) items first.`,
    );
  }
  host.send({ type: "restore", ...target });
  const restored = showTokens(price.usedAfter - price.usedBefore);
  const when = state.phase === "idle" ? "" : " when this step is done";
  host.flash(`Undone: ${restored} tokens restored${when}.`);
}

/** Restores one entry. Summarized ones are copied to the end, which keeps the cache valid. */
export function restoreEntry(host: UndoHost, entry: EntryId): void {
  const { view } = host;
  const row = view.rows[view.indexOf(entry) ?? -1];
  if (!row) return host.flash("This item is not part of the conversation.");
  if (row.by === undefined) return host.flash("Already sent in full.");
  if (row.shown !== "covered") return undoCut(host, row.by, entry);
  host.send({ type: "recall", entry });
  host.flash("Copied to the end of the context. u on the summary's line undoes all of it.");
}
