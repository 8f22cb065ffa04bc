/**
 * One frame as a value: what each part of the screen shows, and in how many rows. It is computed once
 * a frame, outside React: heights are known before anything is drawn, so nothing is measured and
 * nothing renders twice. Parts that did not change keep their identity, and their components rest.
 */

import type { Screen } from "./screen.ts";
import { besideOrBelow, type Line, span, wrapWords } from "./line.ts";
import { activityLine, backgroundLine, forecastFor, meterLine } from "./meter/meter-line.ts";
import { findField, type OverlayView } from "./overlay.ts";
import { panelHeight } from "./panels/panel.ts";
import type { CompletionList } from "./prompt/completion.ts";
import { layoutPrompt, layoutQueue, type PromptView } from "./prompt/prompt-lines.ts";
import { questionHeight, type QuestionView } from "./questions/question.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { startLines } from "./start/start-lines.ts";
import type { Role, Theme } from "./theme.ts";
import { transcriptView, type TranscriptView } from "./transcript/viewport.ts";

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

const smallest = { columns: 20, rows: 5 };

const roomy = { columns: 60, rows: 14 };

/** Lines of messages and completions above the prompt. */
const maxAbove = 10;

/** Rows that a question gets, if there are as many. */
const minQuestion = 6;

/** null: the terminal is too small for a screen. */
export function layoutScreen(screen: Screen, width: number, height: number): Frame | null {
  if (width < smallest.columns || height < smallest.rows) return null;
  const { theme, overlay, transcript, prompt } = screen;
  const gutter = width >= roomy.columns ? 2 : 0;
  const columns = width - 2 * gutter;
  const isRoomy = height >= roomy.rows;
  const rules = isRoomy ? 2 : 0;

  // A question's subject comes before a long draft, notices and the space around it.
  const asks = overlay.question === null ? 0 : minQuestion;
  const promptView = viewPrompt(screen, columns, Math.max(1, height - 4 - asks));
  const status = isRoomy ? screen.status.lines(columns, forecastFor(screen)) : [];
  // Prompt, meter and the lines below it.
  const footRows = promptView.lines.length + rules + 1 + status.length;
  // At least one line of the transcript stays.
  const room = Math.max(0, height - footRows - 1);
  const maxRows = Math.min(maxAbove, Math.max(0, room - asks));
  const { list } = prompt.completion;
  const completion = list && { list, rows: Math.min(maxRows, completionRows(list)) };
  const doing = list ? [] : activityLines(screen, columns).slice(0, maxRows);
  const notices = list ? [] : noticeLines(screen, columns).slice(0, maxRows - doing.length);
  const aboveRows = completion?.rows ?? doing.length + notices.length;
  const hasGap = isRoomy && aboveRows < room;
  const activity = hasGap ? ["", ...doing] : doing;
  const usedRows = aboveRows + (hasGap ? 1 : 0);
  const left = room - usedRows;
  const { top } = overlay;
  const share = Math.max(3, Math.min(left - 1, Math.floor(height * 0.7)));
  const shown = top?.view(columns, asks > 0 && !isRoomy ? left : share);
  const overlayRows = shown ? Math.min(overlayHeight(shown), Math.max(0, left)) : 0;
  const hasAir = isRoomy && overlayRows > 0 && overlayRows < left;
  const air = hasAir ? 1 : 0;
  const free = height - footRows - usedRows - overlayRows - air;
  overlay.origin = { row: free + air, column: gutter };

  const start = startFrame(screen, columns, free);
  const rows = free - start.length;
  const frame = transcript.frame(columns, rows, start.length);
  const promptTop = height - footRows + rules / 2;
  const { cursor } = promptView;
  return {
    columns: width,
    rows: height,
    theme,
    spoken: screen.spoken,
    gutter,
    isRoomy,
    start,
    transcript: transcriptView(frame, { rows, columns }, theme),
    // Without a row, nothing could take the keys of its field.
    overlay: overlayRows > 0 ? (shown ?? null) : null,
    overlayRows,
    hasAir,
    activity,
    notices,
    completion,
    prompt: promptView,
    meter: meterLine(screen, columns),
    status,
    cursor: isTypingHidden(screen, shown ?? null)
      ? null
      : { x: gutter + cursor.column, y: promptTop + cursor.row },
  };
}

/** A frame that shows nothing but a question, from the top. */
export const questionFrame = (
  question: QuestionView,
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
  overlay: question,
  overlayRows: Math.min(rows, questionHeight(question)),
  hasAir: false,
  activity: [],
  notices: [],
  completion: null,
  prompt: { lines: [], hint: "", isTop: true, cursor: { column: 0, row: 0 } },
  meter: [],
  status: [],
  cursor: null,
});

/** The frame with the parts of the one before wherever they are equal. */
export function reuseParts(before: Frame | null, now: Frame): Frame {
  const same = Object.entries(before ?? {}).filter(([name, part]) =>
    Bun.deepEquals(part, Reflect.get(now, name)),
  );
  return { ...now, ...Object.fromEntries(same) };
}

const overlayHeight = (view: OverlayView): number =>
  view.kind === "question" ? questionHeight(view) : panelHeight(view);

const completionRows = ({ query, candidates }: CompletionList): number =>
  candidates.length + (query.kind === "history" ? 1 : 0);

/** Keys do not go to the prompt. */
function isTypingHidden({ overlay, prompt, state }: Screen, shown: OverlayView | null): boolean {
  const isPanel = overlay.question === null && overlay.panel !== null;
  return (
    (isPanel && (prompt.editor.text === "" || findField(shown) !== null)) ||
    overlay.question?.isAnswering === true ||
    state.focus !== "prompt"
  );
}

/** Rows that the transcript keeps below the start screen. */
const minRows = 4;

function startFrame(screen: Screen, columns: number, free: number): readonly Line[] {
  const lines = startLines(screen, columns);
  if (lines.length === 0) return [];
  return ["", ...lines, ""].slice(0, Math.max(0, free - minRows));
}

function viewPrompt(screen: Screen, columns: number, rows: number): PromptView {
  const { prompt, overlay, state } = screen;
  const hint =
    overlay.question !== null
      ? "Answer the question above first"
      : state.phase === "idle"
        ? idleHint(screen)
        : "Type to queue a message";
  prompt.width = Math.max(4, columns - 2);
  return layoutPrompt(prompt.editor, hint, columns, rows);
}

/** An empty session also names the key that finds everything else. */
function idleHint({ state, keys }: Screen): string {
  const palette = state.path.length > 0 ? "" : keys.describeKey("palette");
  return `Ask, or / commands  @ files  ! shell${palette && `  ${palette} actions`}`;
}

const maxFailure = 4;

/** Why the turn failed, unless the end of the transcript is visible and says so. */
function failureLines({ state, transcript }: Screen, columns: number): Line[] {
  const { idle, items } = state;
  if (idle?.why !== "failed") return [];
  const end = items.at(-1);
  const isSaid = end?.kind === "note" && end.entry.text === idle.message;
  if (isSaid && transcript.followsEnd) return [];
  const lines = wrapWords(sanitize(idle.message), columns).slice(0, maxFailure);
  return lines.map((line) => span("bad", line));
}

const activityLines = (screen: Screen, columns: number): Line[] =>
  besideOrBelow(
    // Its clock would be read out every second; what happens is said in the transcript.
    span("accent", screen.spoken.length > 0 ? "" : activityLine(screen)),
    span("dim", backgroundLine(screen.state)),
    columns,
  );

function noticeLines(screen: Screen, columns: number): Line[] {
  const { state, prompt, coldCache } = screen;
  const { flash, idle } = state;
  const said = (role: Role, text: string): Line[] =>
    text === "" ? [] : wrapWords(text, columns).map((line) => span(role, line));
  return [
    ...failureLines(screen, columns),
    ...said("dim", idle?.why === "stopped" ? "Stopped." : ""),
    ...layoutQueue(state.queue, columns).map((line) => span("dim", line)),
    ...said("warning", coldCache.text ?? ""),
    ...said("accent", sanitizeLine(flash?.text ?? "")),
    ...said("strong", prompt.vim.mode?.toUpperCase() ?? ""),
  ];
}
