/** One frame as a value: what each part of the screen shows, and in how many rows. */

import type { Line } from "./line.ts";
import { overlayHeight, type OverlayView } from "./overlay.ts";
import type { CompletionList } from "./prompt/completion.ts";
import type { PromptView } from "./prompt/prompt-lines.ts";
import type { Theme } from "./theme.ts";
import type { TranscriptView } from "./transcript/viewport.ts";

export type Frame = {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly spoken: readonly string[];
  /** Empty columns at either side. */
  readonly gutter: number;
  /** There is room for rules. */
  readonly isRoomy: boolean;
  readonly start: readonly Line[];
  readonly transcript: TranscriptView;
  readonly overlay: OverlayView | null;
  /** Rows of the overlay; where they are too few, its end is cut. */
  readonly overlayRows: number;
  /** An empty line separates the overlay from what is above it. */
  readonly hasAir: boolean;
  readonly activity: readonly Line[];
  readonly notices: readonly Line[];
  readonly completion: { readonly list: CompletionList; readonly rows: number } | null;
  readonly prompt: PromptView;
  readonly meter: Line;
  /** Of the user's own status command, with their colors. */
  readonly status: readonly string[];
  /** null: hidden. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
};

/** A frame that shows nothing but a panel or a question, from the top. */
export const overlayFrame = (
  overlay: OverlayView | null,
  theme: Theme,
  columns: number,
  rows: number,
): Frame => ({
  columns,
  rows,
  theme,
  spoken: [],
  gutter: 0,
  isRoomy: false,
  start: [],
  transcript: { columns, rows: 0, lines: [], places: [], foot: null },
  overlay,
  overlayRows: overlay ? Math.min(rows, overlayHeight(overlay)) : 0,
  hasAir: false,
  activity: [],
  notices: [],
  completion: null,
  prompt: { lines: [], hint: "", isTop: true, cursor: { column: 0, row: 0 } },
  meter: [],
  status: [],
  cursor: null,
});

/** Everything but the transcript, and the room for that. */
export type Chrome = { frame: Omit<Frame, "transcript">; columns: number; rows: number };

/** The frame with the parts of the one before wherever they are equal. */
export function reuseParts(before: Frame | null, now: Frame): Frame {
  const same = Object.entries(before ?? {}).filter(([name, part]) =>
    Bun.deepEquals(part, Reflect.get(now, name)),
  );
  return { ...now, ...Object.fromEntries(same) };
}
