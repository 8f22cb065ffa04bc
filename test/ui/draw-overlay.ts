/** A panel or a question as rows, drawn by Ink without a terminal. */

import { createElement } from "react";
import { Overlay } from "../../src/ui/components/overlay.tsx";
import { questionFrame } from "../../src/ui/frame.ts";
import type { OverlayView } from "../../src/ui/overlay.ts";
import { panelHeight } from "../../src/ui/panels/panel.ts";
import { questionHeight } from "../../src/ui/questions/question.ts";
import { inkScreen } from "../../src/ui/terminal/ink-screen.tsx";
import { makeTheme, type Theme } from "../../src/ui/theme.ts";

const nothing = {
  kind: "question",
  title: "",
  columns: 0,
  detail: [],
  notes: [],
  answer: { kind: "choices", rows: [], isWaiting: false, hint: null },
} as const;

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
    screen: createElement(Overlay),
  });
  return {
    draw(view: OverlayView | null, columns: number, theme: Theme = makeTheme("none")) {
      const rows = !view ? 0 : view.kind === "question" ? questionHeight(view) : panelHeight(view);
      const blank = questionFrame(nothing, theme, columns, rows);
      ink.publish({ ...blank, overlay: view, overlayRows: rows }, { columns, rows });
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
