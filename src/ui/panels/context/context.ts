/** The views of the context and of what it costs as tabs of one panel, switched with Tab. */

import type { Host } from "../host.ts";
import { fitLine, span } from "../../line.ts";
import { contextTabs } from "../../types.ts";
import type { PanelModel } from "../panel.ts";
import { costPanel } from "./cost.ts";

type OpenPanel = (host: Host, text: string) => PanelModel;

type ContextTab = (typeof contextTabs)[number];

const labels = contextTabs.map((tab) => ` ${tab.replace(/^./, (first) => first.toUpperCase())} `);

export const contextPanels: Record<"cost", OpenPanel> = {
  cost: withTabs("cost", costPanel),
};

function tabAt(column: number): ContextTab | undefined {
  let end = 0;
  return contextTabs.find((_, at) => {
    const start = end;
    end += (labels[at] ?? "").length + 1;
    return column >= start && column < end - 1;
  });
}

function withTabs(tab: ContextTab, openPanel: OpenPanel): OpenPanel {
  const at = contextTabs.indexOf(tab);
  const bar = labels.flatMap((label, index) => [
    span(index === at ? "selected" : "dim", label),
    " ",
  ]);
  return (host, text) => {
    const panel = openPanel(host, text);
    const turn = (step: number): void =>
      host.show({ kind: contextTabs.at((at + step) % contextTabs.length) ?? tab });
    return {
      view: (columns, rows) => ({
        ...panel.view(columns, rows - 1),
        tabs: fitLine(bar, columns),
      }),
      press(event) {
        if (event.type === "mouse") {
          if (event.row > 0) return panel.press({ ...event, row: event.row - 1 });
          const clicked = event.action === "press" ? tabAt(event.column) : undefined;
          if (clicked) host.show({ kind: clicked });
          return clicked !== undefined;
        }
        const used = panel.press(event);
        if (used !== false || event.type !== "key") return used;
        if (event.chord === "tab") turn(1);
        else if (event.chord === "shift+tab") turn(-1);
        else return false;
        return true;
      },
    };
  };
}
