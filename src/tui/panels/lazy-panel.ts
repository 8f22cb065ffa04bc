/** A panel whose code is loaded when it is opened, so that the start does not wait for it. */

import type { Host } from "../host.ts";
import { chordOf, type InputEvent } from "../keys.ts";
import type { PanelModel } from "./panel.ts";

export function lazyPanel(host: Host, load: () => Promise<PanelModel>): PanelModel {
  let panel: PanelModel | null = null;
  /** Pressed before the panel was there. */
  let pending: InputEvent[] = [];
  const opened = (loaded: PanelModel): void => {
    panel = loaded;
    const unused = pending.filter((event) => !loaded.press(event));
    pending = [];
    const text = unused.map((event) => ("text" in event ? event.text : "")).join("");
    if (text !== "") host.setPrompt(text);
    host.redraw();
  };
  load().then(opened, host.report);
  return {
    draw: (columns, rows) => panel?.draw(columns, rows) ?? [],
    field: (columns) => panel?.field?.(columns) ?? null,
    press(event) {
      if (panel) return panel.press(event);
      if (chordOf(event) === "escape") return false;
      pending.push(event);
      return true;
    },
  };
}
