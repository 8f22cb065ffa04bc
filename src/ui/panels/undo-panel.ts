/** Compactions that can be undone, newest first. */

import type { EntryOf } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { ageOf, badges, showTokens } from "../transcript/format.ts";
import { undoCut } from "../undo.ts";
import { listPanel } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

export const undoPanel = (host: Host): PanelModel =>
  listPanel<EntryOf<"cut">>(host, {
    content: () => ({
      title: "Undo a compaction",
      hint: "Enter undo; later compactions are kept · Esc cancel",
      empty: "No compaction to undo.",
      items: host.view.cuts.toReversed(),
    }),
    lines: (cut) => [lineOf(cut, host.nowMs)],
    onChoose(cut) {
      host.dispatch({ type: "panel", panel: null });
      void undoCut(host, cut.id);
    },
  });

function lineOf(cut: EntryOf<"cut">, nowMs: number): string {
  const age = ageOf(cut.at, nowMs);
  const freed = showTokens(cut.price.usedBefore - cut.price.usedAfter).padStart(6);
  return `${age}  ${freed} tokens  ${badges[cut.tier]}: ${sanitizeLine(cut.reason)}`;
}
