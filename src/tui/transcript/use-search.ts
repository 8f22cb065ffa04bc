/** Search in the transcript: a line to type in, then from match to match. */

import { useLatest, type Latest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { sanitiseLine } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import { findItem, findLine, patternOf } from "./search.ts";
import type { Source } from "./viewport.ts";

export type Searched = {
  count: number;
  /** Everything that an item holds, also what is folded away. */
  text(item: number): string;
  /** Its lines when it is unfolded; unfolds it. */
  unfold(item: number): Source;
  lines: Source;
  /** The first line on the screen, where a search begins. */
  top: { item: number; line: number };
  /** `within` the lines as they are when what holds the match is unfolded. */
  show(match: { item: number; line: number }, within: Source): void;
};

export type Search = {
  /** What is looked for; null: nothing. */
  pattern: RegExp | null;
  /** The line to type in, or what the keys do; null: no search goes on. */
  bar: string | null;
  begin(): void;
  /** To the next match: -1 to an older one, 1 to a newer one. */
  next(step: 1 | -1): void;
  end(): void;
};

type State = { needle: string; typing: boolean; message: string; match: Match | null } | null;
type Match = { item: number; line: number };
type Found = { match: Match; within: Source };

export function useSearch(searched: Searched, theme: Theme): Search {
  const cell: Latest<State> = useLatest<State>(null);
  const state = cell.get();

  const next = (step: 1 | -1): void => {
    const now = cell.get();
    if (now === null || now.needle === "") return;
    const pattern = patternOf(now.needle);
    const found = nearest(searched, now.match, step, pattern);
    cell.set({
      ...now,
      typing: false,
      match: found?.match ?? now.match,
      message: found ? "" : "no more",
    });
    if (found) searched.show(found.match, found.within);
  };

  useKeys(
    "dialog",
    (event) => {
      const now = cell.get();
      if (now === null || !now.typing || event.type === "mouse") return false;
      if (event.type === "paste") cell.set({ ...now, needle: now.needle + event.text });
      else if (event.chord === "enter") next(-1);
      else if (event.chord === "escape") cell.set(null);
      else if (event.chord === "backspace")
        cell.set({ ...now, needle: [...now.needle].slice(0, -1).join("") });
      else if (event.chord === "ctrl+u") cell.set({ ...now, needle: "" });
      else if (event.text === "") return false;
      else cell.set({ ...now, needle: now.needle + event.text });
      return true;
    },
    state?.typing === true,
  );

  return {
    pattern: state === null || state.needle === "" ? null : patternOf(state.needle),
    bar: state === null ? null : barOf(state, theme),
    begin: () => cell.set({ needle: "", typing: true, message: "", match: null }),
    next,
    end: () => cell.set(null),
  };
}

function barOf(state: NonNullable<State>, theme: Theme): string {
  const typed = `/${sanitiseLine(state.needle)}`;
  if (state.typing) return `${typed}${theme.paint("selected", " ")}  Enter finds, Esc leaves`;
  return `${typed}  ${state.message}${state.message && "  "}n older, N newer, / anew, Esc`;
}

/** From the last match on, or from the top of the screen; a folded item that holds it is unfolded. */
function nearest(
  { count, text, unfold, lines, top }: Searched,
  from: Match | null,
  step: 1 | -1,
  pattern: RegExp,
): Found | null {
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
