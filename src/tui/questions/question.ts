/** A question with an explanation and a list of answers. */

import type { Host } from "../host.ts";
import { chordOf, type InputEvent } from "../keys.ts";
import { clamp, stepOf, type PanelModel } from "../panels/panel.ts";
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

export class Question implements PanelModel {
  readonly #host: Host;
  readonly #options: QuestionOptions;
  #quietSinceMs: number;
  #isFocused = false;
  /** The prompt had text when the question appeared, or was typed into since. */
  #wasTyping: boolean;
  #at: number;
  #from = 0;
  #room = 1;
  #total = 1;
  /** How many lines from the top have been shown. */
  #seen = 0;
  /** The line to type in; null: the choices are shown. */
  #line: Line | null = null;

  constructor(host: Host, options: QuestionOptions, isTyping: boolean) {
    this.#host = host;
    this.#options = options;
    this.#wasTyping = isTyping;
    this.#quietSinceMs = host.nowMs;
    this.#at = options.start ?? 0;
  }

  /**
   * Whether keys answer it. Typing must not approve: keys go to the prompt until there has been a pause,
   * or, after typing, until Tab.
   */
  get isAnswering(): boolean {
    if (!this.#isFocused && !this.#wasTyping)
      this.#isFocused = this.#host.nowMs - this.#quietSinceMs >= quietMs;
    return this.#isFocused;
  }

  /** When it will take answers without Tab, in milliseconds since the epoch; null if it will not. */
  get answersAtMs(): number | null {
    return this.#isFocused || this.#wasTyping ? null : this.#quietSinceMs + quietMs;
  }

  /** Asks for a line of text instead of a choice. */
  askLine(line: Line): void {
    this.#line = line;
  }

  showChoices(): void {
    this.#line = null;
  }

  press(event: InputEvent): boolean {
    return this.isAnswering ? this.#answer(event) : this.#guard(event);
  }

  draw(columns: number, rows: number): string[] {
    const { theme } = this.#host;
    const { title, detail, notes } = this.#options;
    const width = Math.max(1, columns - frameSize.columns);
    const fixed = notes(width);
    const lines = detail(width);
    const below = this.#line ? this.#typedLines(this.#line) : this.#choiceLines(width);
    const rest = Math.max(1, rows - frameSize.rows - fixed.length - below.length);
    // An empty line above the choices, if there is room.
    const gap = lines.length + 1 <= rest ? [""] : [];
    const isLong = lines.length > rest;
    this.#room = Math.max(1, isLong ? rest - 1 : rest);
    this.#total = lines.length;
    this.#from = clamp(this.#from, this.#total - this.#room);
    const shown = lines.slice(this.#from, this.#from + this.#room);
    // A jump to the end does not count the lines it skips.
    if (this.#from <= this.#seen) this.#seen = Math.max(this.#seen, this.#from + shown.length);
    const where = `${this.#from + 1}-${this.#from + shown.length} of ${lines.length} lines · PgDn`;
    const body = [
      ...shown,
      ...(isLong ? [theme.paint("dim", where)] : []),
      ...fixed,
      ...gap,
      ...below,
    ];
    return layoutFrame(sanitizeLine(title), body, columns, theme);
  }

  /** Keys that work while the others go to the prompt. */
  #guard(event: InputEvent): boolean {
    this.#quietSinceMs = this.#host.nowMs;
    const chord = chordOf(event);
    if (event.type === "mouse" || /^page(up|down)$/.test(chord)) return this.#scroll(event);
    if (chord === "tab") this.#isFocused = true;
    else if (chord === "escape") this.#options.onEscape();
    else if (event.type === "paste" || event.text !== "") this.#wasTyping = true;
    return chord === "tab" || chord === "escape";
  }

  #answer(event: InputEvent): boolean {
    if (this.#line) return this.#type(this.#line, event);
    if (event.type === "mouse") return this.#scroll(event);
    if (event.type === "paste") return this.#giveToPrompt();
    const { chord, text } = event;
    const { choices, onEscape } = this.#options;
    if (chord === "ctrl+c" || chord === "ctrl+d") return false;
    if (chord === "escape") onEscape();
    else if (chord === "tab") return !this.#giveToPrompt();
    else if (chord === "up" || chord === "down")
      this.#at = clamp(this.#at + (chord === "up" ? -1 : 1), choices.length - 1);
    else if (chord === "enter") this.#take(choices[this.#at]);
    else if (!this.#scroll(event)) {
      const choice = choices.find(({ key }) => key !== undefined && key === chord);
      if (choice) this.#take(choice);
      else if (text !== "") return this.#giveToPrompt();
    }
    return true;
  }

  /** Gives the keys to the prompt until Tab. */
  #giveToPrompt(): false {
    this.#isFocused = false;
    this.#wasTyping = true;
    return false;
  }

  #take(choice: Choice | undefined): void {
    if (!choice) return;
    if (!choice.needsAll || this.#seen >= this.#total) return choice.take();
    this.#from = clamp(this.#seen, this.#total - this.#room);
    this.#host.flash("Read to the end first.");
  }

  #scroll(event: InputEvent): boolean {
    const step = stepOf(event, this.#room);
    if (step === null) return false;
    this.#from = clamp(this.#from + step, this.#total - this.#room);
    return true;
  }

  #type(line: Line, event: InputEvent): boolean {
    const chord = chordOf(event);
    if (chord === "enter") line.onEnter(line.input.text.trim());
    else if (chord === "escape") this.#line = null;
    else line.input.press(event);
    return event.type !== "mouse" && chord !== "ctrl+c";
  }

  #typedLines({ label, hint, input }: Line): string[] {
    const { theme } = this.#host;
    const text = sanitizeLine(input.text);
    return [
      `${theme.paint("warning", label)}${text}${theme.paint("selected", " ")}`,
      theme.paint("dim", hint),
    ];
  }

  #choiceLines(width: number): string[] {
    const { theme } = this.#host;
    const { choices } = this.#options;
    const { isAnswering } = this;
    const lines = layoutChoices(choices, this.#at, isAnswering, width, theme);
    return isAnswering || !this.#wasTyping
      ? lines
      : [...lines, theme.paint("warning", "Press Tab to answer")];
  }
}
