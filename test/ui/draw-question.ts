/** A question as rows, drawn by Ink without a terminal and without a screen around it. */

import { drawAlone } from "../../src/ui/components/question/trust.ts";
import { inkScreen } from "../../src/ui/terminal/ink-screen.tsx";
import { makeTheme } from "../../src/ui/theme.ts";

type Drawing = {
  rows: readonly string[];
  /** For a screen reader. */
  spoken: string;
};

export function drawQuestion(
  question: Parameters<typeof drawAlone>[0],
  size: { columns: number; rows: number },
  isSpoken = false,
): Drawing {
  let shown: readonly string[] = [];
  let spoken = "";
  const ink = inkScreen({
    present: (rows) => (shown = rows),
    write: (text) => (spoken += text),
    crash: (error) => {
      throw error;
    },
    isSpoken,
  });
  ink.publish(drawAlone(question, makeTheme("none"), size), { ...size, rows: 100 });
  ink.flush();
  ink.unmount();
  return { rows: shown.slice(0, shown.findLastIndex((row) => row !== "") + 1), spoken };
}
