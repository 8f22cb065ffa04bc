/** A question with an explanation and a list of answers. */

import type { Host } from "../host.ts";
import { chordOf, type InputEvent } from "../keys.ts";
import { clamp, stepOf } from "../panels/panel.ts";
import type { LineInput } from "../prompt/line-input.ts";
import { sanitizeLine } from "../sanitize.ts";
import { frameSize, layoutChoices, layoutFrame, quietMs } from "./question-frame.ts";

export type Choice = {
  /** The key that takes this answer at once. Without one, only arrows and Enter reach it. */
  key?: string;
  label: string;
  /** Only after the full detail has been shown. */
  needsAll?: boolean;
  take(): void;
};

/** A line of text that is asked for. */
type Line = {
  label: string;
  hint: string;
  input: LineInput;
  onEnter(text: string): void;
};

type QuestionOptions = {
  title: string;
  /** What it is about, in full; scrolls. */
  detail(width: number): readonly string[];
  /** Lines that are always visible. */
  notes(width: number): readonly string[];
  choices: readonly Choice[];
  /** Index of the choice selected at first. */
  start?: number;
  onEscape(): void;
};

export type Question = ReturnType<typeof choiceQuestion>;

/** `wasTyping`: the prompt had text when the question appeared, or was typed into since. */
export function choiceQuestion(host: Host, options: QuestionOptions, wasTyping: boolean) {
  const { title, detail, notes, choices, onEscape } = options;
  let quietSinceMs = host.nowMs;
  let isFocused = false;
  let at = options.start ?? 0;
  let from = 0;
  let room = 1;
  let total = 1;
  /** How many lines from the top have been shown. */
  let seen = 0;
  /** The line to type in; null: the choices are shown. */
  let line: Line | null = null;

  /**
   * Whether keys answer it. Typing must not approve: keys go to the prompt until there has been a pause,
   * or, after typing, until Tab.
   */
  const isAnswering = (): boolean => {
    if (!isFocused && !wasTyping) isFocused = host.nowMs - quietSinceMs >= quietMs;
    return isFocused;
  };

  /** Keys that work while the others go to the prompt. */
  function guard(event: InputEvent): boolean {
    quietSinceMs = host.nowMs;
    const chord = chordOf(event);
    if (event.type === "mouse" || /^page(up|down)$/.test(chord)) return scroll(event);
    if (chord === "tab") isFocused = true;
    else if (chord === "escape") onEscape();
    else if (event.type === "paste" || event.text !== "") wasTyping = true;
    return chord === "tab" || chord === "escape";
  }

  function answer(event: InputEvent): boolean {
    if (line) return type(line, event);
    if (event.type === "mouse") return scroll(event);
    if (event.type === "paste") return giveToPrompt();
    const { chord, text } = event;
    if (chord === "ctrl+c" || chord === "ctrl+d") return false;
    if (chord === "escape") onEscape();
    else if (chord === "tab") return !giveToPrompt();
    else if (chord === "up" || chord === "down")
      at = clamp(at + (chord === "up" ? -1 : 1), choices.length - 1);
    else if (chord === "enter") take(choices[at]);
    else if (!scroll(event)) {
      const choice = choices.find(({ key }) => key !== undefined && key === chord);
      if (choice) take(choice);
      else if (text !== "") return giveToPrompt();
    }
    return true;
  }

  /** Gives the keys to the prompt until Tab. */
  function giveToPrompt(): false {
    isFocused = false;
    wasTyping = true;
    return false;
  }

  function take(choice: Choice | undefined): void {
    if (!choice) return;
    if (!choice.needsAll || seen >= total) return choice.take();
    from = clamp(seen, total - room);
    host.flash("Read to the end first.");
  }

  function scroll(event: InputEvent): boolean {
    const step = stepOf(event, room);
    if (step === null) return false;
    from = clamp(from + step, total - room);
    return true;
  }

  function type({ input, onEnter }: Line, event: InputEvent): boolean {
    const chord = chordOf(event);
    if (chord === "enter") onEnter(input.text.trim());
    else if (chord === "escape") line = null;
    else input.press(event);
    return event.type !== "mouse" && chord !== "ctrl+c";
  }

  function typedLines({ label, hint, input }: Line): string[] {
    const { theme } = host;
    const text = sanitizeLine(input.text);
    return [
      `${theme.paint("warning", label)}${text}${theme.paint("selected", " ")}`,
      theme.paint("dim", hint),
    ];
  }

  function choiceLines(width: number): string[] {
    const lines = layoutChoices(choices, at, isAnswering(), width, host.theme);
    return isAnswering() || !wasTyping
      ? lines
      : [...lines, host.theme.paint("warning", "Press Tab to answer")];
  }

  return {
    get isAnswering(): boolean {
      return isAnswering();
    },
    /** When it will take answers without Tab, in milliseconds since the epoch; null if it will not. */
    get answersAtMs(): number | null {
      return isFocused || wasTyping ? null : quietSinceMs + quietMs;
    },
    /** Asks for a line of text instead of a choice; null: shows the choices again. */
    askLine: (asked: Line | null) => void (line = asked),
    press: (event: InputEvent): boolean => (isAnswering() ? answer(event) : guard(event)),
    draw(columns: number, rows: number): string[] {
      const { theme } = host;
      const width = Math.max(1, columns - frameSize.columns);
      const fixed = notes(width);
      const lines = detail(width);
      const below = line ? typedLines(line) : choiceLines(width);
      const rest = Math.max(1, rows - frameSize.rows - fixed.length - below.length);
      // An empty line above the choices, if there is room.
      const gap = lines.length + 1 <= rest ? [""] : [];
      const isLong = lines.length > rest;
      room = Math.max(1, isLong ? rest - 1 : rest);
      total = lines.length;
      from = clamp(from, total - room);
      const shown = lines.slice(from, from + room);
      // A jump to the end does not count the lines it skips.
      if (from <= seen) seen = Math.max(seen, from + shown.length);
      const where = `${from + 1}-${from + shown.length} of ${total} lines · PgDn`;
      const more = isLong ? [theme.paint("dim", where)] : [];
      const body = [...shown, ...more, ...fixed, ...gap, ...below];
      return layoutFrame(sanitizeLine(title), body, columns, theme);
    },
  };
}
