import type { ReactNode } from "react";
import { describeCut, whyCut } from "../../context/describe-cut.ts";
import { isSummarizedAgain } from "../../context/view/rows.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useStore } from "../screen-context.ts";
import { formatAge, showTokens, showUsd } from "../transcript/format.ts";
import { undoCut } from "../undo.ts";
import { ListPanel } from "./list-panel.tsx";

export function UndoPanel(): ReactNode {
  const store = useStore();
  const actions = useActions();
  return (
    <ListPanel
      title="Undo a compaction"
      hint="Enter undo; later compactions are kept · Esc cancel"
      empty="No compaction to undo."
      items={store.view.cuts.filter((cut) => !isSummarizedAgain(store.view, cut)).toReversed()}
      lines={(cut) => [cutLine(cut, store.nowMs)]}
      closes
      onChoose={(cut) => undoCut({ store, actions }, cut.id)}
    />
  );
}

function cutLine(cut: EntryOf<"cut">, nowMs: number): string {
  const age = formatAge(cut.at, nowMs);
  const freed = showTokens(cut.price.usedBefore - cut.price.usedAfter).padStart(6);
  return `${age}  ${freed} tokens freed for ${showUsd(cut.price.usd, cut.price.isEstimate)}  ${describeCut(cut)} · ${sanitizeLine(whyCut(cut))}`;
}
