/** The whole screen, one string per row, from the top to the meter. */

import type { ScreenController } from "./controller.ts";
import { activityLine, backgroundLine } from "./meter/activity.ts";
import { meterLine } from "./meter/meter-line.ts";
import { layoutCompletion, layoutPrompt, layoutQueue } from "./prompt/prompt-lines.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { startLines } from "./start/start-lines.ts";
import type { Frame } from "./terminal/painter.ts";
import type { Role } from "./theme.ts";
import { transcriptRows } from "./transcript/transcript-rows.ts";
import type { Place } from "./transcript/viewport.ts";
import { besideOrBelow, wrapWords } from "./wrap.ts";

/** A smaller terminal cannot hold a prompt and the meter. */
const smallest = { columns: 20, rows: 5 };

/** From this size on, there is room for spacing. */
const roomy = { columns: 60, rows: 14 };

/** Lines of messages and completions above the prompt. */
const maxAbove = 10;

export function frameOf(controller: ScreenController, width: number, height: number): Frame {
  if (width < smallest.columns || height < smallest.rows)
    return { rows: filled([`Too small: ${width}x${height}`], height), scrolling: 0, cursor: null };
  const { theme, overlay, transcript } = controller;
  const gutter = width >= roomy.columns ? 2 : 0;
  const columns = width - 2 * gutter;
  const isRoomy = height >= roomy.rows;
  const rule = isRoomy ? [theme.paint("dim", "─".repeat(columns))] : [];
  const { top } = overlay;

  const { lines, cursor } = promptLines(controller, columns, Math.max(1, height - 4));
  const prompt = [...rule, ...lines, ...rule];
  // Prompt and meter, and at least one line of the transcript.
  const room = Math.max(0, height - prompt.length - 2);
  const messages = aboveLines(controller, columns).slice(0, Math.min(maxAbove, room));
  const above = isRoomy && messages.length < room ? ["", ...messages] : messages;
  const field = top?.field?.(columns) ?? null;
  const fields = field === null ? [] : [field];
  const left = room - above.length - fields.length;
  const drawn = top?.draw(columns, Math.max(3, Math.min(left - 1, Math.floor(height * 0.7)))) ?? [];
  const air = isRoomy && drawn.length > 0 && drawn.length < left ? [""] : [];
  const panel = [...air, ...drawn].slice(0, Math.max(0, left));
  const below = [...panel, ...fields, ...above, ...prompt, meterLine(controller, columns)];
  const free = height - below.length;
  overlay.origin = { row: free + air.length, column: gutter };

  const start = startFrame(controller, columns, free);
  const size = { rows: free - start.length, columns };
  const list = transcript.frame(columns, size.rows, start.length);
  const scrolling = [...start, ...transcriptRows(list, size, theme)];
  const indent = " ".repeat(gutter);
  const rows = filled(
    [...scrolling, ...below].map((line) => (line === "" ? "" : indent + line)),
    height,
  );
  const first = height - 1 - prompt.length + rule.length;
  return {
    rows: withSelection(
      controller,
      rows,
      rows.map((_, row) => placeOf(row, start.length, list.visible.lines)),
      gutter,
    ),
    scrolling: scrolling.length,
    cursor: isTypingHidden(controller)
      ? null
      : { x: gutter + cursor.column, y: first + cursor.row },
  };
}

/** Keys do not go to the prompt. */
function isTypingHidden({ overlay, prompt, state }: ScreenController): boolean {
  const isPanel = overlay.question === null && overlay.panel !== null;
  return (
    (isPanel && prompt.editor.text === "") ||
    overlay.question?.isAnswering === true ||
    state.focus !== "prompt"
  );
}

/** The rows with what is selected highlighted. `places`: what each row shows. */
function withSelection(
  { selection, transcript, theme }: ScreenController,
  rows: string[],
  places: readonly Place[],
  gutter: number,
): string[] {
  const indent = " ".repeat(gutter);
  selection.shown = {
    rows,
    places,
    gutter,
    between: (from, to) =>
      transcript.between(from, to).map(({ text, ...place }) => ({ place, text: indent + text })),
  };
  return selection.isEmpty ? rows : rows.map((line, row) => selection.mark(line, row, theme));
}

/** What a row shows: a line of the transcript, or something before or after it. */
function placeOf(row: number, top: number, lines: readonly Place[]): Place {
  if (row < top) return { item: -1, line: row };
  return lines[row - top] ?? { item: Infinity, line: row };
}

const filled = (lines: readonly string[], rows: number): string[] =>
  Array.from({ length: rows }, (_, row) => lines[row] ?? "");

/** Rows that the transcript keeps below the start screen. */
const minRows = 4;

function startFrame(controller: ScreenController, columns: number, free: number): string[] {
  const lines = startLines(controller, columns);
  if (lines.length === 0) return [];
  return ["", ...lines, ""].slice(0, Math.max(0, free - minRows));
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

/** Most lines of a failure. */
const maxFailure = 4;

/** Why the turn failed, unless the end of the transcript is visible and says so. */
function failureLines(controller: ScreenController, columns: number): string[] {
  const { state, transcript, theme } = controller;
  const { idle, items } = state;
  if (idle?.why !== "failed") return [];
  const end = items.at(-1);
  const isSaid = end?.kind === "note" && end.entry.text === idle.message;
  if (isSaid && transcript.followsEnd) return [];
  const lines = wrapWords(sanitize(idle.message), columns).slice(0, maxFailure);
  return lines.map((line) => theme.paint("bad", line));
}

function aboveLines(controller: ScreenController, columns: number): string[] {
  const { state, theme, prompt, coldCache } = controller;
  const { list } = prompt.completion;
  if (list) return layoutCompletion(list, columns, maxAbove, theme);
  const { flash, idle } = state;
  /** Nothing for an empty text. */
  const said = (role: Role, text: string): string[] =>
    text === "" ? [] : wrapWords(text, columns).map((line) => theme.paint(role, line));
  return [
    ...besideOrBelow(
      theme.paint("accent", activityLine(controller)),
      theme.paint("dim", backgroundLine(state)),
      columns,
    ),
    ...failureLines(controller, columns),
    ...said("dim", idle?.why === "stopped" ? "Stopped." : ""),
    ...layoutQueue(state.queue, columns).map((line) => theme.paint("dim", line)),
    ...said("warning", coldCache.text ?? ""),
    ...said("accent", sanitizeLine(flash?.text ?? "")),
    ...said("strong", prompt.vim.mode?.toUpperCase() ?? ""),
  ];
}
