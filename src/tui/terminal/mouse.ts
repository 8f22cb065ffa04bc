/** Mouse reports: SGR (1006) only, because the older encodings cannot express every column. */

import type { MouseEvent } from "../keys.ts";

/** Buttons, the wheel, and moves while a button is down. */
export const mouseOn = "\x1b[?1002h\x1b[?1006h";
export const mouseOff = "\x1b[?1006l\x1b[?1002l";

/** Returns null for a report that is not used, and undefined if it is not a mouse report. */
export function mouseEvent(parameters: string, final: string): MouseEvent | null | undefined {
  const [, button, column, row] = /^<(\d+);(\d+);(\d+)$/.exec(parameters) ?? [];
  if (button === undefined || (final !== "M" && final !== "m")) return undefined;
  const action = actionOf(Number(button), final);
  return action && { type: "mouse", action, column: Number(column) - 1, row: Number(row) - 1 };
}

function actionOf(button: number, end: string): MouseEvent["action"] | null {
  if (button & 64) return button & 1 ? "wheelDown" : "wheelUp";
  // Only the left button.
  if ((button & 3) !== 0) return null;
  if (button & 32) return "drag";
  return end === "M" ? "press" : "release";
}
