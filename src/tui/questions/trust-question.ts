/** Asks whether to trust the files of the opened folder. */

import type { InputEvent } from "../keys.ts";
import { showControls } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { wrapAnywhere, wrapWords } from "../wrap.ts";
import { frameSize, layoutChoices, layoutFrame, quietMs } from "./question-frame.ts";

export const trustTitle = "Do you trust the files in this folder?";

export const trustExplanation = [
  "If you do, they tell the agent what to do and may run programs: instructions (AGENTS.md, CLAUDE.md), git status at startup, project settings, hooks, commands, skills and MCP servers.",
  "If not, none of these are used. The agent can still read and change files here, with your approval as always.",
] as const;

export type TrustAnswer = "trusted" | "untrusted";

const choices = [
  { key: "n", label: "No, continue without them", answer: "untrusted" },
  { key: "y", label: "Yes, trust them", answer: "trusted" },
] as const;

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

  /** When keys will answer, in the clock of `press`; null if they do now. */
  get answersAtMs(): number | null {
    return this.#isAnswering ? null : this.#quietSinceMs + quietMs;
  }

  /** Takes answers after a pause: keys meant for the shell must not answer. */
  tick(nowMs: number): void {
    if (nowMs - this.#quietSinceMs >= quietMs) this.#isAnswering = true;
  }

  /** Returns null until there is an answer. */
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

  /** At most `rows` lines, always including the choices. */
  draw(columns: number, rows: number): string[] {
    const outer = Math.min(columns, maxWidth);
    const width = Math.max(1, outer - frameSize.columns);
    const about = trustExplanation.flatMap((text) => ["", ...wrapWords(text, width)]);
    const text = [...wrapAnywhere(this.#folder, width), ...about, ""];
    const answers = layoutChoices(choices, this.#at, this.#isAnswering, width, this.#theme);
    const room = Math.max(0, rows - frameSize.rows - answers.length);
    return layoutFrame(trustTitle, [...text.slice(0, room), ...answers], outer, this.#theme);
  }
}
