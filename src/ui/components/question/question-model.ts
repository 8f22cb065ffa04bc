/** A question with an explanation and a list of answers. */

import type { Answer } from "../../../protocol/command.ts";
import type { Actions } from "../../actions.ts";
import type { AskedLine } from "../field.tsx";
import { toChord, type InputEvent } from "../../keys.ts";
import { fit, hang, pad } from "../../painted-text.ts";
import { type Line, span } from "../../spans.ts";
import { clamp, fitHint, scrollStep } from "../../panels/navigation.ts";
import { showInLine } from "../../sanitize.ts";
import type { Shared } from "../../shared.ts";
import type { Store } from "../../store.ts";

export type Choice = {
  /** Shortcut key; a digit stands before the label. A choice without one is reached with the arrows and Enter. */
  key?: string;
  label: string;
  /** Description below the label, dim. */
  about?: string;
  /** Makes the choice a check box, toggled with Space. */
  toggle?(): void;
  /** Can be chosen only once the end of the detail has been shown. */
  needsAll?: boolean;
  take(askLine: AskLine): void;
};

/** Replaces the choices by a text field; null shows the choices again. */
export type AskLine = (line: Omit<AskedLine, "onEscape"> | null) => void;

/** Asks for words; an empty answer counts. */
export const askFor =
  (label: string, verb: string, onEnter: (words: string, askLine: AskLine) => void) =>
  (askLine: AskLine): void =>
    askLine({
      label: `${label}: `,
      hint: `Enter ${verb} · Esc back`,
      onEnter: (words) => onEnter(words, askLine),
    });

/** A denial, with the words of the user as its reason. */
export const denial = (words: string): Answer => ({
  allow: false,
  ...(words === "" ? {} : { reason: words }),
});

export type QuestionView = {
  title: string;
  columns: number;
  /** The subject; code and diffs are styled already. */
  detail: readonly string[];
  /** Lines below the detail: scroll position, warnings, the agent's reason. */
  notes: readonly Line[];
  /** Rows of the visible choices; empty while a text field is open. Dim until keys answer. */
  choices: readonly ChoiceRow[];
  /** The open text field; null: the choices are shown. */
  line: AskedLine | null;
  hint: Line | null;
};

/** `choice`: the index of the choice that the row belongs to. */
type ChoiceRow = { line: Line; isChosen: boolean; choice: number };

export const frameSize = { columns: 4, rows: 2 };

/**
 * Milliseconds without a key, counted from its first frame, before a question accepts answers. No key answers
 * earlier: after a stall, keys may be read long after they were typed.
 */
const quietMs = 500;

/** Milliseconds for which the next question of a card ignores keys, so that a double press answers only one. */
const twiceMs = 250;

/** `selected`: an index; null: keys do not answer yet. */
const choiceRows = (
  choices: readonly Choice[],
  selected: number | null,
  width: number,
): ChoiceRow[] =>
  choices.flatMap(({ key, label, about }, choice): ChoiceRow[] => {
    const isNumbered = key !== undefined && /^\d$/.test(key);
    const name = isNumbered ? `${key}. ${label}` : key === undefined ? label : `${label} (${key})`;
    const isChosen = choice === selected;
    const below = about === undefined ? [] : hang(isNumbered ? "     " : "  ", about, width);
    return [
      ...hang(isChosen ? "❯ " : "  ", name, width).map((row) => {
        const dimmed = selected === null ? span("dim", row) : row;
        const line = isChosen ? span("selected", pad(row, width)) : dimmed;
        return { line, isChosen, choice };
      }),
      ...below.map((row) => ({ line: span("dim", row), isChosen: false, choice })),
    ];
  });

/** Minimum rows of detail; the choices get the rest. */
const leastDetail = 3;

/** Below this many rows inside the frame, one row of detail is enough. */
const small = 8;

type AnswerView = Pick<QuestionView, "choices" | "line" | "hint">;

const answerRows = ({ choices, line, hint }: AnswerView): number =>
  choices.length + (line ? 1 : 0) + (hint === null ? 0 : 1);

/** The choices that fit, always including the selected one. */
function withinRows(answer: AnswerView, room: number): AnswerView {
  const { choices, line, hint } = answer;
  if (line || answerRows(answer) <= room) return answer;
  const shown = Math.max(1, room - 1);
  const from = clamp(
    choices.findIndex(({ isChosen }) => isChosen) - shown + 1,
    choices.length - shown,
  );
  const more = span("dim", "  ↑ ↓ more answers");
  return {
    choices: choices.slice(from, from + shown),
    line,
    hint: room > 1 ? (hint ?? more) : null,
  };
}

export const questionHeight = (view: QuestionView): number =>
  frameSize.rows + view.detail.length + view.notes.length + answerRows(view);

type QuestionOptions = {
  title: string;
  /** The subject in full; scrolls. */
  detail(width: number): readonly string[];
  notes(width: number): readonly Line[];
  choices: readonly Choice[];
  start?: number;
  /** Additional keys, by chord. */
  keys?: Record<string, () => void>;
  /** Follows another question of the same card: keys answer immediately. */
  continues?: boolean;
  /** Key hints below the choices. */
  hint?: string;
  onEscape(): void;
  /** No prompt exists to type into: every key restarts the wait for a pause. */
  hasNoPrompt?: true;
};

/** The parts that differ between the agent's questions. */
export type QuestionParts = Omit<QuestionOptions, "title" | "onEscape">;

export type GiveAnswer = (answer: Answer) => void;

export type Asking = Pick<Shared, "store" | "actions" | "services">;

export type Question = ReturnType<typeof choiceQuestion>;

/** `wasTyping`: the prompt had text when the question appeared, or was typed into since. */
export function choiceQuestion(
  { store, actions }: { store: Pick<Store, "nowMs">; actions: Pick<Actions, "notify"> },
  options: QuestionOptions,
  wasTyping: boolean,
) {
  const { title, detail, notes, choices, onEscape, hasNoPrompt = false } = options;
  const { keys = {}, continues = false } = options;
  /** null: not drawn yet. */
  let quietSinceMs: number | null = null;
  let isFocused = continues;
  let at = options.start ?? 0;
  let from = 0;
  let room = 1;
  let total = 1;
  /** The end of the detail has been shown. */
  let isEndSeen = false;
  /** Full screen: also takes the transcript's rows. */
  let isFull = false;
  /** The open text field; null: the choices are shown. */
  let line: AskedLine | null = null;
  /** Unsent text of closed fields, by label. */
  const drafts = new Map<string, string>();
  const askLine: AskLine = (asked) => {
    line = asked && {
      value: drafts.get(asked.label) ?? "",
      ...asked,
      onEscape(text) {
        drafts.set(asked.label, text);
        line = null;
      },
    };
  };

  /**
   * Handles keys before the question accepts answers. Typing must not approve anything, so all other keys go to
   * the prompt until a pause or, once the user has typed, until Tab.
   */
  function guard(event: InputEvent): boolean {
    if (quietSinceMs !== null) quietSinceMs = store.nowMs;
    const chord = toChord(event);
    if (event.type === "mouse" || /^page(up|down)$/.test(chord)) return scroll(event);
    if (hasNoPrompt) return false;
    if (chord === "tab") isFocused = true;
    else if (chord === "escape") onEscape();
    else if (event.type === "paste" || event.text !== "") return giveToPrompt();
    return chord === "tab" || chord === "escape";
  }

  function answer(event: InputEvent): boolean {
    if (line) return false;
    if (event.type === "mouse") return scroll(event);
    if (event.type === "paste") return giveToPrompt();
    const { chord, text } = event;
    const ticked = choices[at]?.toggle;
    if (chord === "ctrl+c" || chord === "ctrl+d") return false;
    // A double press answers the first question only.
    if (continues && store.nowMs - (quietSinceMs ?? store.nowMs) < twiceMs) return true;
    if (chord === "escape") onEscape();
    else if (chord === "tab") return !giveToPrompt();
    else if (chord === "up" || chord === "down")
      at = clamp(at + (chord === "up" ? -1 : 1), choices.length - 1);
    else if (chord === "enter") take(choices[at]);
    else if (text === " " && ticked) ticked();
    else if (keys[chord]) keys[chord]();
    else if (!scroll(event)) {
      const choice = choices.find(({ key }) => key !== undefined && key === chord);
      if (choice) take(choice);
      else if (chord === "f" && (isFull || room < total)) isFull = !isFull;
      else if (text !== "") return giveToPrompt();
    }
    return true;
  }

  /** Sends keys to the prompt until Tab. */
  function giveToPrompt(): false {
    isFocused = hasNoPrompt;
    wasTyping = !hasNoPrompt;
    return false;
  }

  function take(choice: Choice | undefined): void {
    if (!choice) return;
    if (!choice.needsAll || isEndSeen) return choice.take(askLine);
    // The notice may take a row from the detail; Infinity keeps the end in view.
    from = Infinity;
    actions.notify(`This is the end of ${total} lines. Press the same key again to allow.`);
  }

  function scroll(event: InputEvent): boolean {
    const step = scrollStep(event, room);
    if (step === null) return false;
    from = clamp(from + step, total - room);
    return true;
  }

  function answerView(width: number): AnswerView {
    if (line) return { choices: [], line, hint: span("dim", line.hint) };
    quietSinceMs ??= store.nowMs;
    if (!wasTyping && store.nowMs - quietSinceMs >= quietMs) isFocused = true;
    const rows = choiceRows(choices, isFocused ? at : null, width);
    const foot = options.hint === undefined ? null : span("dim", fitHint(options.hint, width));
    const hint = !isFocused && wasTyping ? span("warning", "Press Tab to answer") : foot;
    return { choices: rows, line: null, hint };
  }

  return {
    get isAnswering(): boolean {
      return isFocused;
    },
    /** A text field is open. */
    get isTyping(): boolean {
      return line !== null;
    },
    get isFull(): boolean {
      return isFull;
    },
    /** When answers are accepted without Tab, in milliseconds since the epoch; null: only after Tab. */
    get answersAtMs(): number | null {
      return isFocused || wasTyping ? null : (quietSinceMs ?? store.nowMs) + quietMs;
    },
    /** `isLate`: the key was queued behind another, perhaps typed before the question appeared. */
    press: (event: InputEvent, isLate = false): boolean =>
      isFocused && !isLate ? answer(event) : guard(event),
    view(columns: number, rows: number): QuestionView {
      const width = Math.max(1, columns - frameSize.columns);
      const lines = detail(width);
      const inner = Math.max(1, rows - frameSize.rows);
      const always = notes(width);
      const least = inner < small ? 1 : Math.min(lines.length, leastDetail);
      const asked = withinRows(answerView(width), Math.max(1, inner - always.length - least));
      const most = Math.max(0, inner - answerRows(asked));
      const fixed = always.slice(0, most);
      const rest = most - fixed.length;
      // Blank line above the choices, if it fits.
      const gap = lines.length + 1 <= rest ? [""] : [];
      const isLong = lines.length > rest;
      // A single row shows text, not the scroll position.
      room = isLong && rest > 1 ? rest - 1 : rest;
      total = lines.length;
      from = clamp(from, total - room);
      const shown = lines.slice(from, from + room);
      isEndSeen ||= from + shown.length >= total;
      const where = `${from + 1}-${from + shown.length} of ${total} lines · PgDn · End · f ${isFull ? "smaller" : "full screen"}`;
      const more = room < rest ? [span("dim", where)] : [];
      return {
        title: showInLine(title),
        columns,
        detail: shown.map((text) => fit(text, width)),
        notes: [...more, ...fixed, ...gap],
        ...asked,
      };
    },
  };
}
