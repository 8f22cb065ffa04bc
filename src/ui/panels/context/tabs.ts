/** The context and cost views as tabs of one panel. */

import { span } from "../../spans.ts";
import { useActions } from "../../screen-context.ts";
import { contextTabs } from "../../types.ts";
import type { Tabs } from "../panel-box.tsx";

type ContextTab = (typeof contextTabs)[number];

const labels = contextTabs.map((tab) => ` ${tab.replace(/^./, (first) => first.toUpperCase())} `);

export function useTabs(tab: ContextTab): Tabs {
  const { show } = useActions();
  const at = contextTabs.indexOf(tab);
  const turn = (step: number): void =>
    show({ kind: contextTabs.at((at + step) % contextTabs.length) ?? tab });
  return {
    line: labels.flatMap((label, index) => [span(index === at ? "selected" : "dim", label), " "]),
    keys: { tab: () => turn(1), "shift+tab": () => turn(-1) },
    click(column) {
      const clicked = tabAt(column);
      if (clicked) show({ kind: clicked });
    },
  };
}

function tabAt(column: number): ContextTab | undefined {
  let end = 0;
  return contextTabs.find((_, at) => {
    const start = end;
    end += (labels[at] ?? "").length + 1;
    return column >= start && column < end - 1;
  });
}
