/** A panel or a question as rows, drawn by Ink without a terminal. */

import { createElement } from "react";
import { OverlayAlone } from "../../src/ui/components/overlay.tsx";
import { overlayHeight, type OverlayView } from "../../src/ui/overlay.ts";
import { inkScreen } from "../../src/ui/terminal/ink-screen.tsx";
import { makeTheme, type Theme } from "../../src/ui/theme.ts";

/** Draws one after the other on the same screen; `draw` draws the newest, where a field may be new. */
export function overlayScreen(draw = () => {}) {
  let shown: readonly string[] = [];
  const ink = inkScreen({
    draw,
    present: (rows) => (shown = rows),
    write: () => {},
    crash: (error) => {
      throw error;
    },
  });
  return {
    draw(view: OverlayView | null, columns: number, theme: Theme = makeTheme("none")) {
      const rows = view ? overlayHeight(view) : 0;
      const look = { theme, columns };
      const content = view && createElement(OverlayAlone, { view, look, height: rows });
      ink.publish(content, { columns, rows });
      ink.flush();
      return view ? shown : [];
    },
    type: ink.type,
    end: () => ink.unmount(),
  };
}

/** One view, drawn once. */
export function drawOverlay(view: OverlayView, columns: number): readonly string[] {
  const screen = overlayScreen();
  const rows = screen.draw(view, columns);
  screen.end();
  return rows;
}
