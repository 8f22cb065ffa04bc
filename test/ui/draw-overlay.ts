/** A question as rows, drawn by Ink without a terminal and without a screen around it. */

import { type ComponentProps, createElement } from "react";
import { QuestionAlone } from "../../src/ui/components/question/question.tsx";
import { inkScreen } from "../../src/ui/terminal/ink-screen.tsx";
import { makeTheme } from "../../src/ui/theme.ts";

type View = ComponentProps<typeof QuestionAlone>["view"];

/** More than any question takes. */
const rows = 100;

export function drawQuestion(view: View, columns: number): readonly string[] {
  let shown: readonly string[] = [];
  const ink = inkScreen({
    present: (rows) => (shown = rows),
    write: () => {},
    crash: (error) => {
      throw error;
    },
  });
  const look = { theme: makeTheme("none"), columns };
  ink.publish(createElement(QuestionAlone, { view, look, rows }), { columns, rows });
  ink.flush();
  ink.unmount();
  return shown.slice(0, shown.findLastIndex((row) => row !== "") + 1);
}
