/** The whole screen as lines, from the top to the meter. */

import type { ScreenController } from "./controller.ts";
import { activityLine, backgroundLine } from "./meter/activity.ts";
import { meterLine } from "./meter/meter-line.ts";
import type { TextField } from "./panels/panel.ts";
import { layoutCompletion, layoutPrompt, layoutQueue } from "./prompt/prompt-lines.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { startLines } from "./start/start-screen.ts";
import type { TranscriptFrame } from "./transcript/transcript-model.ts";
import type { Theme } from "./theme.ts";
import { fit, spread, wrapWords } from "./wrap.ts";

type ScreenFrame = {
  /** Above the transcript of an empty session. */
  start: readonly string[];
  transcript: TranscriptFrame;
  /** Rows and columns of the transcript. */
  rows: number;
  columns: number;
  /** Empty columns at the left. */
  gutter: number;
  panel: readonly string[];
  /** A field of the panel, below its lines. */
  field: TextField | null;
  /** What is going on, messages, completions. */
  above: readonly string[];
  /** With the rules around it. */
  prompt: readonly string[];
  meter: string;
  /** Where the cursor is; null: hidden. */
  cursor: { x: number; y: number } | null;
};

/** From these sizes on there is room for air. */
const roomy = { columns: 60, rows: 14 };

/** Lines of messages and completions above the prompt. */
const mostAbove = 10;

export function drawScreen(
  controller: ScreenController,
  width: number,
  height: number,
): ScreenFrame {
  const { theme, overlay, transcript, state, prompt: typed } = controller;
  const gutter = width >= roomy.columns ? 2 : 0;
  const columns = width - 2 * gutter;
  const isRoomy = height >= roomy.rows;
  const rule = isRoomy ? [theme.paint("dim", "─".repeat(columns))] : [];
  const top = overlay.top;

  const { lines, cursor } = promptLines(controller, columns, Math.max(1, height - 4));
  const prompt = [...rule, ...lines, ...rule];
  // Prompt and meter, and at least one line of the transcript.
  const room = Math.max(0, height - prompt.length - 2);
  const above = aboveLines(controller, columns).slice(0, Math.min(mostAbove, room));
  const gap = isRoomy && above.length < room ? [""] : [];
  const field = top?.field?.(columns) ?? null;
  const fieldRows = field === null ? 0 : 1;
  const left = room - above.length - gap.length - fieldRows;
  const panel = top?.draw(columns, Math.max(3, Math.min(left - 1, Math.floor(height * 0.7)))) ?? [];
  const air = isRoomy && panel.length > 0 && panel.length < left ? [""] : [];
  const panelLines = [...air, ...panel].slice(0, Math.max(0, left));
  const free =
    height - prompt.length - 1 - above.length - gap.length - panelLines.length - fieldRows;
  overlay.origin = { row: free + air.length, column: gutter };
  const start = startFrame(controller, columns, free);
  const rows = free - start.length;
  const isHidden =
    (top !== null && top !== overlay.question && typed.editor.text === "") ||
    overlay.question?.isAnswering === true ||
    state.focus !== "prompt";
  const first = height - 1 - prompt.length + rule.length;
  return {
    start,
    transcript: transcript.frame(columns, rows, start.length),
    rows,
    columns,
    gutter,
    panel: panelLines,
    field,
    above: [...gap, ...above],
    prompt,
    meter: meterLine(controller, controller.calmState, controller.forecaster.current, columns),
    cursor: isHidden ? null : { x: gutter + cursor.column, y: first + cursor.row },
  };
}

/** What the agent does at the left, what runs in the background at the right. */
function statusLines(
  activity: string | null,
  background: string | null,
  columns: number,
  theme: Theme,
): string[] {
  const left = activity === null ? "" : theme.paint("accent", activity);
  const right = background === null ? "" : theme.paint("dim", background);
  if (left === "" || right === "")
    return [left + right].filter(Boolean).map((l) => fit(l, columns));
  const isRoomy = Bun.stringWidth(left) + Bun.stringWidth(right) + 2 <= columns;
  return isRoomy ? [spread(left, right, columns)] : [fit(left, columns), fit(right, columns)];
}

/** Rows that the transcript keeps below the start screen. */
const leastRows = 4;

function startFrame(controller: ScreenController, columns: number, free: number): string[] {
  const lines = startLines(controller, columns);
  if (lines.length === 0) return [];
  return ["", ...lines, ""].slice(0, Math.max(0, free - leastRows));
}

function promptLines(controller: ScreenController, columns: number, rows: number) {
  const { prompt, theme, overlay, state } = controller;
  const { editor, selection } = prompt;
  const hint =
    overlay.question !== null
      ? "Answer the question above first"
      : state.phase === "idle"
        ? "Ask, or / commands  @ files  ! shell"
        : "Type to queue a message";
  prompt.width = Math.max(4, columns - 2);
  return layoutPrompt({ editor, selection, hint }, columns, rows, theme);
}

function aboveLines(controller: ScreenController, columns: number): string[] {
  const { state, view, rules, keys, theme, prompt, nowMs, coldCache } = controller;
  const activity = activityLine(controller.calmState, view, rules, keys, nowMs);
  const { list } = prompt.completion;
  if (list) return layoutCompletion(list, columns, mostAbove, theme);
  const { flash, idle } = state;
  const failure = idle?.why === "failed" ? wrapWords(sanitize(idle.message), columns) : [];
  const notice = coldCache.text;
  const vim = prompt.vim.mode;
  return [
    ...statusLines(activity, backgroundLine(state), columns, theme),
    ...failure.slice(0, 4).map((line) => theme.paint("bad", line)),
    ...(idle?.why === "stopped" ? [theme.paint("dim", "Stopped.")] : []),
    ...layoutQueue(state.queue, columns).map((line) => theme.paint("dim", line)),
    ...(notice === null
      ? []
      : wrapWords(notice, columns).map((line) => theme.paint("warning", line))),
    ...(flash === null
      ? []
      : wrapWords(sanitizeLine(flash.text), columns).map((line) => theme.paint("accent", line))),
    ...(vim === null ? [] : [theme.paint("strong", vim.toUpperCase())]),
  ];
}
