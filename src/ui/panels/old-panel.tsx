import { type ReactNode, useReducer, useState } from "react";
import { forecastFor } from "../components/meter/live.ts";
import { Panel } from "../components/panel.tsx";
import { useSource, useStore } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import { type Host, panelHost } from "./host.ts";
import type { PanelModel } from "./panel.ts";
import { usePanelSize } from "./panel-box.tsx";

/** A panel that is computed outside React. */
export const old = (open: (host: Host, text: string) => PanelModel) =>
  function OldPanel({ text }: { text: string }): ReactNode {
    const { screen } = useSource();
    useStore();
    const { columns, rows } = usePanelSize();
    const [, update] = useReducer((count: number) => count + 1, 0);
    const [model] = useState(() =>
      open(
        panelHost(screen, () => forecastFor(screen).bySize?.atTokens ?? null),
        text,
      ),
    );
    useKeys((event) => {
      const used = model.press(event);
      update();
      if (used || event.type !== "key" || event.chord !== "escape") return used;
      screen.actions.show(null);
      return true;
    }, "panel");
    return <Panel view={model.view(columns, rows)} />;
  };
