/**
 * Lays out a frame, once and outside React: heights are known before anything is drawn, so nothing is
 * measured and nothing renders twice. Parts that did not change keep their identity, and their
 * components rest.
 */

import type { Screen } from "./screen.ts";
import { activityLines } from "./components/activity.tsx";
import { meterLine } from "./components/meter.tsx";
import { noticeLines } from "./components/notices.tsx";
import { startLines } from "./components/start.tsx";
import type { Line } from "./line.ts";
import { forecastFor } from "./meter/live.ts";
import { overlayHeight, type OverlayView } from "./overlay.ts";
import type { Chrome, Frame } from "./frame.ts";
import type { CompletionList } from "./prompt/completion.ts";
import { layoutPrompt, type PromptView } from "./prompt/prompt-lines.ts";

const smallest = { columns: 20, rows: 5 };

const roomy = { columns: 60, rows: 14 };

/** Lines of messages and completions above the prompt. */
const maxAbove = 10;

/** Rows that a question gets, if there are as many. */
const minQuestion = 6;

/** null: the terminal is too small for a screen. */
export function layoutScreen(screen: Screen, width: number, height: number): Frame | null {
  if (width < smallest.columns || height < smallest.rows) return null;
  const { revision, nowMs, theme, spoken, overlay, transcript } = screen;
  // In most frames only the streamed text has grown. What lies over it may show anything.
  const over = overlay.top && {};
  const keys = [revision, Math.floor(nowMs / 1_000), theme, spoken, over, width, height];
  const chrome = screen.chrome.get(keys, () => layoutChrome(screen, width, height));
  const { frame, columns, rows } = chrome;
  return { ...frame, transcript: transcript.frame(columns, rows, frame.start.length) };
}

function layoutChrome(screen: Screen, width: number, height: number): Chrome {
  const { theme, overlay, prompt } = screen;
  const gutter = width >= roomy.columns ? 2 : 0;
  const columns = width - 2 * gutter;
  const isRoomy = height >= roomy.rows;
  const rules = isRoomy ? 2 : 0;

  // A question's subject comes before a long draft, notices and the space around it.
  const asks = overlay.question === null ? 0 : minQuestion;
  const promptView = viewPrompt(screen, columns, Math.max(1, height - 4 - asks));
  const forecast = forecastFor(screen);
  const status = isRoomy ? screen.status.lines(columns, forecast) : [];
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
  const promptTop = height - footRows + rules / 2;
  const { cursor } = promptView;
  const frame = {
    columns: width,
    rows: height,
    theme,
    spoken: screen.spoken,
    gutter,
    isRoomy,
    start,
    // Without a row, nothing could take the keys of its field.
    overlay: overlayRows > 0 ? (shown ?? null) : null,
    overlayRows,
    hasAir,
    activity,
    notices,
    completion,
    prompt: promptView,
    meter: meterLine(screen, forecast, columns),
    status,
    cursor: isTypingHidden(screen, shown ?? null)
      ? null
      : { x: gutter + cursor.column, y: promptTop + cursor.row },
  };
  return { frame, columns, rows: free - start.length };
}

const completionRows = ({ query, candidates }: CompletionList): number =>
  candidates.length + (query.kind === "history" ? 1 : 0);

/** Keys do not go to the prompt. */
function isTypingHidden({ overlay, prompt, state }: Screen, shown: OverlayView | null): boolean {
  const panel = shown?.kind === "panel" ? shown : null;
  return (
    (panel && (prompt.editor.text === "" || Boolean(panel.field ?? panel.filter))) ||
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
        ? "Ask, or / commands  @ files  ! shell"
        : "Type to queue a message";
  prompt.width = Math.max(4, columns - 2);
  return layoutPrompt(prompt.editor, hint, columns, rows);
}
