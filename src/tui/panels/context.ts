/** Four views of the context in one panel, switched with Tab. */

import type { EntryId } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { contextTabs, type ContextTab } from "../types.ts";
import { fit } from "../wrap.ts";
import { mapPanel } from "./context-map.ts";
import { historyPanel } from "./history.ts";
import { inspectorPanel } from "./inspector.ts";
import { lensPanel } from "./lens.ts";
import type { PanelModel } from "./panel.ts";

type Start = { query?: string; selected?: readonly EntryId[] };

const makers: Record<ContextTab, (host: Host, start: Start) => PanelModel> = {
  map: mapPanel,
  items: inspectorPanel,
  history: historyPanel,
  lens: lensPanel,
};

const names: Record<ContextTab, string> = {
  map: "Map",
  items: "Items",
  history: "History",
  lens: "Lens",
};

export function contextPanel(host: Host, tab: ContextTab, start: Start = {}): PanelModel {
  const panel = makers[tab](host, start);
  const open = (step: number): void => {
    const next = contextTabs.at((contextTabs.indexOf(tab) + step) % contextTabs.length) ?? tab;
    host.dispatch({ type: "panel", panel: { kind: "context", tab: next } });
  };
  return {
    draw(columns, rows) {
      const { theme } = host;
      const bar = contextTabs
        .map((name) => theme.paint(name === tab ? "selected" : "dim", ` ${names[name]} `))
        .join(" ");
      return [fit(bar, columns), ...panel.draw(columns, rows - 1)];
    },
    press(event) {
      if (panel.press(event)) return true;
      if (event.type !== "key") return false;
      if (event.chord === "tab") open(1);
      else if (event.chord === "shift+tab") open(-1);
      else return false;
      return true;
    },
  };
}
