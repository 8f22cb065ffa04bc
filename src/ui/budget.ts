/** The rows of the screen, divided among its parts. */

import type { PromptView } from "./prompt/prompt-lines.ts";
import type { QuestionView } from "./components/question/question-model.ts";
import type { TranscriptView } from "./transcript/viewport.ts";

/** The rows of each part. It is the same object until something other than streamed text changes. */
export type Budget = {
  readonly width: number;
  readonly height: number;
  /** False: the terminal is too small for a screen. */
  readonly fits: boolean;
  /** Empty columns at either side, and the columns between them. */
  readonly gutter: number;
  readonly columns: number;
  /** Tall enough for divider lines. */
  readonly isRoomy: boolean;
  readonly start: number;
  readonly transcript: number;
  readonly overlay: number;
  /** An empty line above the overlay, and above the activity. */
  readonly hasAir: boolean;
  readonly hasGap: boolean;
  readonly activity: number;
  readonly notices: number;
  readonly completion: number;
  readonly status: number;
  readonly question: QuestionView | null;
  /** Rows that a panel may take. */
  readonly panelRoom: number;
  readonly prompt: PromptView;
  /** null: hidden. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
};

export type Layout = { readonly budget: Budget; readonly transcript: TranscriptView };
