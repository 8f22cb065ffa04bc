/**
 * Divides the rows among the parts of the screen. Heights are known before drawing, except that of a panel,
 * which Ink measures (`mounted-screen.ts`).
 */

import { activityRows } from "./components/activity.tsx";
import { completionRows } from "./components/completion-menu.tsx";
import { statusLines } from "./components/meter/meter.tsx";
import { noticeRows } from "./components/notices.tsx";
import { startRows } from "./components/start.tsx";
import type { Budget, Layout } from "./budget.ts";
import { layoutPrompt, type PromptView } from "./prompt/prompt-lines.ts";
import { questionHeight } from "./components/question/question-model.ts";
import type { Screen } from "./screen.ts";

const smallest = { columns: 8, rows: 3 };

/** Minimum size for a question or panel, which must be visible to be answered. */
const smallestOverlay = { columns: 20, rows: 5 };

const roomy = { columns: 60, rows: 14 };

/** Lines of messages and completions above the prompt. */
const maxAbove = 10;

/** Rows that a question gets, if there are as many. */
const minQuestion = 6;

export function layoutScreen(screen: Screen, width: number, height: number): Layout {
  const { store, spoken, overlay, transcript, keyHandlers } = screen;
  const { revision, nowMs, theme } = store;
  // Most frames only add streamed text. A question may change at any time.
  const over = [overlay.question && {}, overlay.panelRows, keyHandlers.has("field")];
  const keys = [revision, Math.floor(nowMs / 1_000), theme, spoken, ...over, width, height];
  const budget = screen.budget.get(keys, () => divideRows(screen, width, height));
  return {
    budget,
    transcript: transcript.frame(budget.columns, budget.transcript, budget.start, budget.gutter),
  };
}

function divideRows(screen: Screen, terminalWidth: number, terminalHeight: number): Budget {
  const { overlay, prompt, store } = screen;
  const isCovered = overlay.question !== null || store.state.panel !== null;
  const least = isCovered ? smallestOverlay : smallest;
  const width = Math.max(terminalWidth, least.columns);
  const height = Math.max(terminalHeight, least.rows);
  const fits = width === terminalWidth && height === terminalHeight;
  const gutter = width >= roomy.columns ? 2 : 0;
  const columns = width - 2 * gutter;
  const isRoomy = height >= roomy.rows;
  const rules = isRoomy ? 2 : 0;

  // A question's subject has priority over a long draft, notices and spacing.
  const asks = overlay.question === null ? 0 : minQuestion;
  const promptView = viewPrompt(screen, columns, Math.max(1, height - 4 - asks));
  const status = isRoomy ? statusLines(screen, columns).length : 0;
  // Prompt, meter and the lines below it.
  const footRows = promptView.lines.length + rules + 1 + status;
  // At least one line of the transcript stays.
  const room = Math.max(0, height - footRows - 1);
  const most = Math.min(maxAbove, Math.max(0, room - asks));
  const { list } = prompt.completion;
  const completion = list ? Math.min(most, completionRows(list)) : 0;
  const activity = list ? 0 : Math.min(most, activityRows(screen));
  const notices = list ? 0 : Math.min(most - activity, noticeRows(screen, columns));
  const aboveRows = completion + activity + notices;
  const hasGap = isRoomy && aboveRows < room;
  const usedRows = aboveRows + (hasGap ? 1 : 0);
  const left = room - usedRows;
  const share = Math.max(3, Math.min(left - 1, Math.floor(height * 0.7)));
  const takesAll = asks > 0 && (!isRoomy || overlay.question?.isFull === true);
  const question = overlay.question?.view(columns, takesAll ? left : share) ?? null;
  const panelRows = store.state.panel ? Math.min(overlay.panelRows, share) : 0;
  const wanted = question ? questionHeight(question) : panelRows;
  const overlayRows = Math.min(wanted, Math.max(0, left));
  const hasAir = isRoomy && overlayRows > 0 && overlayRows < left;
  const air = hasAir ? 1 : 0;
  const free = height - footRows - usedRows - overlayRows - air;
  overlay.origin = { row: free + air, column: gutter };

  const opening = startRows(screen);
  const start = opening === 0 ? 0 : Math.max(0, Math.min(opening + 2, free - minRows));
  const promptTop = height - footRows + rules / 2;
  const { cursor } = promptView;
  return {
    width,
    height,
    fits,
    gutter,
    columns,
    isRoomy,
    start,
    transcript: free - start,
    overlay: overlayRows,
    hasAir,
    hasGap,
    activity,
    notices,
    completion,
    status,
    question: overlayRows > 0 ? question : null,
    panelRoom: share,
    prompt: promptView,
    cursor:
      !fits || isTypingHidden(screen)
        ? null
        : { x: gutter + cursor.column, y: promptTop + cursor.row },
  };
}

/** Keys do not go to the prompt. */
function isTypingHidden({ overlay, prompt, store, keyHandlers }: Screen): boolean {
  const { panel, focus } = store.state;
  const { question } = overlay;
  if (question?.isAnswering === true || focus !== "prompt") return true;
  return !question && panel !== null && (prompt.editor.text === "" || keyHandlers.has("field"));
}

/** Rows that the transcript keeps below the start screen. */
const minRows = 4;

function viewPrompt(screen: Screen, columns: number, rows: number): PromptView {
  const { prompt, overlay, store } = screen;
  const hint =
    overlay.question !== null
      ? "Waiting for you: answer above"
      : store.state.phase === "idle"
        ? "Ask, or / commands  @ files  ! shell"
        : "Type to queue a message";
  prompt.width = Math.max(4, columns - 2);
  return layoutPrompt(prompt.editor, hint, columns, rows);
}
