/** A question of the agent: what it is about, and the answers to choose from. */

import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { clamp, stepOf, type PanelModel } from "../panels/panel.ts";
import { emptyEditor, type Editor } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitiseLine } from "../sanitise.ts";
import { fit, pad } from "../wrap.ts";

export type Choice = {
  /** Takes this answer at once; absent: only the arrows and Enter do. */
  key?: string;
  label: string;
  /** Not before everything was on the screen. */
  needsAll?: boolean;
  take(): void;
};

export type QuestionOptions = {
  title: string;
  /** What it is about, in full; it scrolls. */
  detail(width: number): readonly string[];
  /** Lines that always stay in sight. */
  notes(width: number): readonly string[];
  choices: readonly Choice[];
  /** Index of the choice to begin with. */
  start?: number;
  onEscape(): void;
};

/** A question takes answer keys only after this time, counted again from each key. */
export const quietMs = 500;

export class Question implements PanelModel {
  readonly #host: Host;
  readonly #options: QuestionOptions;
  #quietSinceMs: number;
  #isFocused = false;
  /** The prompt held text when the question came, or was typed into since. */
  #wasTyping: boolean;
  #at: number;
  #from = 0;
  #room = 1;
  #total = 1;
  /** Lines that have been on the screen, from the first one on. */
  #seen = 0;
  /** The line to type a reason in; null: the choices are shown. */
  #reason: { text: Editor; onEnter(text: string): void } | null = null;

  constructor(host: Host, options: QuestionOptions, isTyping: boolean) {
    this.#host = host;
    this.#options = options;
    this.#wasTyping = isTyping;
    this.#quietSinceMs = host.nowMs;
    this.#at = options.start ?? 0;
  }

  /**
   * Whether keys answer it. Someone who is typing must not answer with the next letter of a word:
   * until there was a pause, or Tab after typing, keys go to the prompt.
   */
  get isAnswering(): boolean {
    if (!this.#isFocused && !this.#wasTyping)
      this.#isFocused = this.#host.nowMs - this.#quietSinceMs >= quietMs;
    return this.#isFocused;
  }

  /** When it begins to take answers by itself, in milliseconds since the epoch; null: it will not. */
  get answersAtMs(): number | null {
    return this.#isFocused || this.#wasTyping ? null : this.#quietSinceMs + quietMs;
  }

  /** Asks for a line of text in place of the choices. */
  askReason(onEnter: (text: string) => void): void {
    this.#reason = { text: emptyEditor, onEnter };
  }

  press(event: InputEvent): boolean {
    const used = this.isAnswering ? this.#answer(event) : this.#guard(event);
    this.#host.redraw();
    return used;
  }

  draw(columns: number, rows: number): string[] {
    const { theme } = this.#host;
    const { title, detail, notes } = this.#options;
    const width = Math.max(1, columns - 4);
    const fixed = notes(width);
    const lines = detail(width);
    const below = this.#reason ? this.#reasonLines() : this.#choiceLines(width);
    const rest = Math.max(1, rows - 2 - fixed.length - below.length);
    // A gap above the choices, where there is room for one.
    const gap = lines.length + 1 <= rest ? [""] : [];
    const isLong = lines.length > rest;
    this.#room = Math.max(1, isLong ? rest - 1 : rest);
    this.#total = lines.length;
    this.#from = clamp(this.#from, this.#total - this.#room);
    const shown = lines.slice(this.#from, this.#from + this.#room);
    // A jump to the end does not count for what it skips.
    if (this.#from <= this.#seen) this.#seen = Math.max(this.#seen, this.#from + shown.length);
    const where = `${this.#from + 1}-${this.#from + shown.length} of ${lines.length} lines · PgDn`;
    const body = [
      ...shown,
      ...(isLong ? [theme.paint("dim", where)] : []),
      ...fixed,
      ...gap,
      ...below,
    ];
    const border = (text: string): string => theme.paint("warning", text);
    const head = fit(`╭ ${sanitiseLine(title)} `, columns - 1);
    return [
      border(`${head}${"─".repeat(Math.max(0, columns - 1 - Bun.stringWidth(head)))}╮`),
      ...body.map((line) => `${border("│")} ${pad(fit(line, width), width)} ${border("│")}`),
      border(`╰${"─".repeat(Math.max(0, columns - 2))}╯`),
    ];
  }

  /** Keys that work while the prompt has the others. */
  #guard(event: InputEvent): boolean {
    this.#quietSinceMs = this.#host.nowMs;
    if (event.type === "mouse") return this.#scroll(event);
    if (event.type === "key" && event.chord === "tab") this.#isFocused = true;
    else if (event.type === "key" && event.chord === "escape") this.#options.onEscape();
    else {
      const isScroll = event.type === "key" && /^page(up|down)$/.test(event.chord);
      if (isScroll) return this.#scroll(event);
      if (event.type === "paste" || event.text !== "") this.#wasTyping = true;
      return false;
    }
    return true;
  }

  #answer(event: InputEvent): boolean {
    if (this.#reason) return this.#typeReason(event);
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

  /** What is typed belongs to the prompt, until Tab. */
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

  #typeReason(event: InputEvent): boolean {
    const reason = this.#reason;
    if (!reason || event.type === "mouse") return false;
    const { chord, text } =
      event.type === "key" ? event : { chord: "", text: sanitiseLine(event.text) };
    if (chord === "enter") reason.onEnter(reason.text.text.trim());
    else if (chord === "escape") this.#reason = null;
    else reason.text = editByKey(reason.text, chord, text) ?? reason.text;
    return chord !== "ctrl+c";
  }

  #reasonLines(): string[] {
    const { theme } = this.#host;
    const typed = sanitiseLine(this.#reason?.text.text ?? "");
    return [
      `${theme.paint("warning", "Reason (optional): ")}${typed}${theme.paint("selected", " ")}`,
      theme.paint("dim", "Enter deny · Esc back"),
    ];
  }

  #choiceLines(width: number): string[] {
    const { theme } = this.#host;
    const { choices } = this.#options;
    const isAnswering = this.isAnswering;
    const lines = choices.map(({ key, label }, index) => {
      const text = `${label}${key === undefined ? "" : ` (${key})`}`;
      if (!isAnswering) return theme.paint("dim", `  ${text}`);
      const line = fit(`${index === this.#at ? "❯" : " "} ${text}`, width);
      return index === this.#at ? theme.paint("selected", pad(line, width)) : line;
    });
    const hint = this.#wasTyping ? "Press Tab to answer" : "";
    return isAnswering || hint === "" ? lines : [...lines, theme.paint("warning", hint)];
  }
}
