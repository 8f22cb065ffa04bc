/** Shared by lists and panels: scrolling, filters, key hints. */

import type { InputEvent } from "../keys.ts";
import { firstThatFits } from "../painted-text.ts";

/** Shortens key hints; the last one (close) is kept longest. */
export function fitHint(hint: string, columns: number): string {
  const parts = hint.split(" · ");
  const last = parts.pop() ?? "";
  const forms = parts.map((_, cut) => [...parts.slice(0, parts.length - cut), last].join(" · "));
  return firstThatFits([...forms, last], columns);
}

export const wheelLines = 3;

/** Lines scrolled by a key or the wheel; null: not a scroll event. */
export function scrollStep(event: InputEvent, page: number): number | null {
  if (event.type === "mouse") {
    if (event.action === "wheelUp") return -wheelLines;
    return event.action === "wheelDown" ? wheelLines : null;
  }
  if (event.type !== "key") return null;
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -Infinity,
    end: Infinity,
  };
  return steps[event.chord] ?? null;
}

export function wordFilter(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.toLowerCase().includes(word));
}

/**
 * Matching items, best first: exact name (the first word of the text), prefix of the text, substring,
 * all words, subsequence of the name.
 */
export function bestFirst<T>(
  query: string,
  items: readonly T[],
  toText: (item: T) => string,
): readonly T[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return items;
  const hasWords = wordFilter(wanted);
  const letters = new RegExp([...wanted].map(RegExp.escape).join(".*"));
  const ranked = items.map((item) => {
    const text = toText(item).toLowerCase();
    const [name = ""] = text.split(" ");
    const isLike = [
      name === wanted,
      text.startsWith(wanted),
      text.includes(wanted),
      hasWords(text),
      letters.test(name),
    ];
    return { item, rank: isLike.indexOf(true) };
  });
  return ranked
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Clamps `value` to 0..`most`; 0 if `most` is negative. */
export const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
