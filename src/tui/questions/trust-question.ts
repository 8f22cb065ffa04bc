/** The question whether the files of the opened folder are trusted: how it looks, what keys do. */

import type { InputEvent } from "../keys.ts";
import { showControls } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import { fit, pad, wrapAnywhere, wrapWords } from "../wrap.ts";

export const trustTitle = "Do you trust the files in this folder?";

export const trustExplanation = [
  "If you do, they tell the agent what to do and may run programs: instructions (AGENTS.md, CLAUDE.md), git status at the start, project settings, hooks, commands, skills and MCP servers.",
  "If not, none of these are used. The agent can still read and change files here, and asks as always.",
] as const;

export type TrustAnswer = "trusted" | "untrusted";

const choices = [
  { key: "n", label: "No, continue without them", answer: "untrusted" },
  { key: "y", label: "Yes, trust them", answer: "trusted" },
] as const;

/** Keys count only after this time without one: typing that was meant for the shell must not answer. */
export const quietMs = 500;

const maxWidth = 100;

export class TrustQuestion {
  readonly #folder: string;
  readonly #theme: Theme;
  #at = 0;
  #quietSinceMs: number;
  #isAnswering = false;

  constructor(folder: string, theme: Theme, nowMs: number) {
    this.#folder = showControls(folder).replaceAll("\n", "⏎");
    this.#theme = theme;
    this.#quietSinceMs = nowMs;
  }

  /** When keys begin to count, in the clock of `press`; null: they do. */
  get answersAtMs(): number | null {
    return this.#isAnswering ? null : this.#quietSinceMs + quietMs;
  }

  /** Lets keys count once nothing was typed for long enough. */
  tick(nowMs: number): void {
    if (nowMs - this.#quietSinceMs >= quietMs) this.#isAnswering = true;
  }

  /** The answer; null: none yet. */
  press(event: InputEvent, nowMs: number): TrustAnswer | null {
    this.tick(nowMs);
    if (!this.#isAnswering) {
      this.#quietSinceMs = nowMs;
      return null;
    }
    if (event.type !== "key") return null;
    const { chord } = event;
    if (chord === "up" || chord === "down") this.#at = chord === "up" ? 0 : choices.length - 1;
    if (chord === "escape") return "untrusted";
    if (chord === "enter") return choices[this.#at]?.answer ?? null;
    return choices.find(({ key }) => key === chord)?.answer ?? null;
  }

  /** At most `rows` lines; the choices are always among them. */
  draw(columns: number, rows: number): string[] {
    const width = Math.max(1, Math.min(columns, maxWidth) - 4);
    const about = trustExplanation.flatMap((text) => ["", ...wrapWords(text, width)]);
    const text = [...wrapAnywhere(this.#folder, width), ...about, ""];
    const answers = choices.map(({ key, label }, index) => this.#choice(index, key, label, width));
    const room = Math.max(0, rows - 2 - answers.length);
    const border = (part: string): string => this.#theme.paint("warning", part);
    const head = fit(`╭ ${trustTitle} `, width + 3);
    return [
      border(`${head}${"─".repeat(Math.max(0, width + 3 - Bun.stringWidth(head)))}╮`),
      ...[...text.slice(0, room), ...answers].map(
        (line) => `${border("│")} ${pad(fit(line, width), width)} ${border("│")}`,
      ),
      border(`╰${"─".repeat(width + 2)}╯`),
    ];
  }

  #choice(index: number, key: string, label: string, width: number): string {
    const text = `${label} (${key})`;
    if (!this.#isAnswering) return this.#theme.paint("dim", `  ${text}`);
    return index === this.#at
      ? this.#theme.paint("selected", pad(fit(`❯ ${text}`, width), width))
      : `  ${text}`;
  }
}
