/** Search in the transcript: a search bar, then moving between matches. */

import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import { findItem, findLine, patternOf } from "./search.ts";
import type { Source } from "./viewport.ts";

/** The transcript, as the search needs it. */
type SearchTarget = {
  count: number;
  /** The full text of an item, even if it is folded. */
  text(item: number): string;
  /** Unfolds an item and returns the new lines. */
  unfold(item: number): Source;
  lines: Source;
  /** The first visible line, where a search starts. */
  top: Match;
  /** `within`: the lines after unfolding. */
  show(match: Match, within: Source): void;
};

type Match = { item: number; line: number };
type SearchState = { needle: string; isTyping: boolean; message: string; match: Match | null };

export class TranscriptSearch {
  readonly #host: Host;
  readonly #target: () => SearchTarget;
  #state: SearchState | null = null;

  constructor(host: Host, target: () => SearchTarget) {
    this.#host = host;
    this.#target = target;
  }

  get isOpen(): boolean {
    return this.#state !== null;
  }

  get isTyping(): boolean {
    return this.#state?.isTyping === true;
  }

  /** The pattern to highlight; null if there is none. */
  get pattern(): RegExp | null {
    const needle = this.#state?.needle ?? "";
    return needle === "" ? null : patternOf(needle);
  }

  /** The search bar; null if there is no search. */
  get bar(): string | null {
    if (!this.#state) return null;
    const { needle, isTyping, message } = this.#state;
    const typed = `/${sanitizeLine(needle)}`;
    if (isTyping)
      return `${typed}${this.#host.theme.paint("selected", " ")}  Enter find · Esc cancel`;
    return `${typed}  ${message}${message && "  "}n previous · N next · / new search · Esc close`;
  }

  begin(): void {
    this.#state = { needle: "", isTyping: true, message: "", match: null };
  }

  end(): void {
    this.#state = null;
  }

  press(event: InputEvent): boolean {
    const now = this.#state;
    if (!now?.isTyping || event.type === "mouse") return false;
    const { needle } = now;
    if (event.type === "paste") this.#state = { ...now, needle: needle + event.text };
    else if (event.chord === "enter") this.next(-1);
    else if (event.chord === "escape") this.#state = null;
    else if (event.chord === "backspace")
      this.#state = { ...now, needle: [...needle].slice(0, -1).join("") };
    else if (event.chord === "ctrl+u") this.#state = { ...now, needle: "" };
    else if (event.text === "") return false;
    else this.#state = { ...now, needle: needle + event.text };
    this.#host.redraw();
    return true;
  }

  /** Goes to the previous (-1) or next (1) match. */
  next(step: 1 | -1): void {
    const now = this.#state;
    if (!now || now.needle === "") return;
    const target = this.#target();
    const found = nearest(target, now.match, step, patternOf(now.needle));
    const message = found ? this.#countOf(target, found.match, now.needle) : "no more matches";
    this.#state = { ...now, isTyping: false, match: found?.match ?? now.match, message };
    if (found) target.show(found.match, found.within);
  }

  /** "3 of 17": position among the matching items, counted from the newest. */
  #countOf(target: SearchTarget, match: Match, needle: string): string {
    const pattern = patternOf(needle);
    let all = 0;
    let newer = 0;
    for (let item = 0; item < target.count; item++) {
      if (target.text(item).search(pattern) < 0) continue;
      all++;
      if (item > match.item) newer++;
    }
    return `${newer + 1} of ${all}`;
  }
}

/** The nearest match after the last one, or from the newest item. Unfolds a folded item. */
function nearest(
  { count, text, unfold, lines, top }: SearchTarget,
  from: Match | null,
  step: 1 | -1,
  pattern: RegExp,
): { match: Match; within: Source } | null {
  const start = from ?? { item: step < 0 ? count - 1 : top.item, line: 0 };
  if (from !== null) {
    const line = findLine(lines.lines(from.item), from.line + step, step, pattern);
    if (line !== null) return { match: { item: from.item, line }, within: lines };
  }
  const item = findItem(count, text, from === null ? start.item : start.item + step, step, pattern);
  if (item === null) return null;
  const shown = matchIn(lines.lines(item), step, pattern);
  if (shown !== null) return { match: { item, line: shown }, within: lines };
  const within = unfold(item);
  return { match: { item, line: matchIn(within.lines(item), step, pattern) ?? 0 }, within };
}

const matchIn = (lines: readonly string[], step: 1 | -1, pattern: RegExp): number | null =>
  findLine(lines, step < 0 ? lines.length - 1 : 0, step, pattern);
