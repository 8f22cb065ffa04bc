/** The views of the context and of what it costs in one panel, switched with Tab. */

import type { EntryId } from "../../../protocol/entry.ts";
import type { Host } from "../../host.ts";
import { fitLine, span } from "../../line.ts";
import { type ContextTab, contextTabs } from "../../types.ts";
import { mapPanel } from "./map.ts";
import { costPanel, historyPanel } from "./cost.ts";
import { usagePanel } from "./usage.ts";
import { inspectorPanel } from "./items.ts";
import { lensPanel } from "./lens.ts";
import type { PanelModel } from "../panel.ts";

type ContextStart = { query?: string; selected?: readonly EntryId[] };

const tabs: Record<
  ContextTab,
  { label: string; open(host: Host, start: ContextStart): PanelModel }
> = {
  map: { label: " Map ", open: mapPanel },
  items: { label: " Items ", open: inspectorPanel },
  history: { label: " History ", open: historyPanel },
  lens: { label: " Lens ", open: lensPanel },
  cost: { label: " Cost ", open: costPanel },
  usage: { label: " Usage ", open: usagePanel },
};

function tabAt(column: number): ContextTab | undefined {
  let end = 0;
  return contextTabs.find((tab) => {
    const start = end;
    end += tabs[tab].label.length + 1;
    return column >= start && column < end - 1;
  });
}

export function contextPanel(host: Host, tab: ContextTab, start: ContextStart): PanelModel {
  const panel = tabs[tab].open(host, start);
  const open = (next: ContextTab): void => host.show({ kind: "context", tab: next });
  const turn = (step: number): void =>
    open(contextTabs.at((contextTabs.indexOf(tab) + step) % contextTabs.length) ?? tab);
  return {
    view(columns, rows) {
      const bar = contextTabs.flatMap((name) => [
        span(name === tab ? "selected" : "dim", tabs[name].label),
        " ",
      ]);
      return { ...panel.view(columns, rows - 1), tabs: fitLine(bar, columns) };
    },
    press(event) {
      if (event.type === "mouse") {
        if (event.row > 0) return panel.press({ ...event, row: event.row - 1 });
        const clicked = event.action === "press" ? tabAt(event.column) : undefined;
        if (clicked) open(clicked);
        return clicked !== undefined;
      }
      const used = panel.press(event);
      if (used !== false) return used;
      if (event.type !== "key") return false;
      if (event.chord === "tab") turn(1);
      else if (event.chord === "shift+tab") turn(-1);
      else return false;
      return true;
    },
  };
}
