/** Taking a cut back, or what it hides of one entry; where that does not fit, what to do instead. */

import { priceOfRestore } from "../context/restore.ts";
import type { EntryId } from "../protocol/entry.ts";
import { itemsOf } from "./list.ts";
import { showTokens } from "./transcript/format.ts";
import type { PanelProps } from "./types.ts";

type UndoOptions = Pick<
  PanelProps,
  "state" | "dispatch" | "send" | "view" | "rules" | "options" | "nowMs"
>;

export function undoCut(parts: UndoOptions, cut: EntryId, entry?: EntryId): void {
  const { state, dispatch, send, rules, options, nowMs } = parts;
  const wanted = { cut, ...(entry === undefined ? {} : { entry }) };
  const path = [...itemsOf(state.path)];
  const { price, excessTokens } = priceOfRestore(path, wanted, rules, options.policy, nowMs);
  const flash = (text: string): void =>
    dispatch({ type: "flash", text, untilMs: Date.now() + 5_000 });
  if (excessTokens > 0) {
    dispatch({ type: "panel", panel: { kind: "inspect" } });
    return flash(
      `It would be ${showTokens(excessTokens)} tokens too many: drop (d) or summarise (s) as much here first.`,
    );
  }
  send({ type: "restore", ...wanted });
  flash(`Taking back: ${showTokens(price.usedAfter - price.usedBefore)} tokens come back.`);
}

/** An entry by itself. What a summary covers comes back as a copy at the end, where it breaks no cache. */
export function restoreEntry(parts: UndoOptions, entry: EntryId): void {
  const { view, dispatch, send } = parts;
  const row = view.rows[view.indexOf(entry) ?? -1];
  const flash = (text: string): void =>
    dispatch({ type: "flash", text, untilMs: Date.now() + 6_000 });
  if (!row) return flash(`There is no #${entry} in this conversation.`);
  if (row.by === undefined) return flash("It is sent as it is; there is nothing to take back.");
  if (row.shown !== "covered") return undoCut(parts, row.by, entry);
  send({ type: "recall", entry });
  flash("It comes back at the end of the context; u on the boundary takes the whole summary back.");
}
