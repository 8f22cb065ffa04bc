/** The earlier summary that a new one will cover. */

import type { EntryId, EntryOf, Span } from "../../protocol/entry.ts";
import { rangeOf, type RowRange } from "../view/rows.ts";
import type { View } from "../types.ts";
import { linesAbout } from "./sections.ts";
import { normal } from "./user-messages.ts";

/** The summary text of the newest active cover in the span, without what is kept beside it. */
export const previousSummary = (view: View, span: Span): string | null =>
  previousCut(rangeOf(view, span))?.text ?? null;

/** The cut with that summary, and its text. */
export function previousCut({ view, from, to }: RowRange): { entry: EntryId; text: string } | null {
  const inSpan = view.covers.filter((cover) => cover.from <= to && cover.to >= from);
  const covering = new Set(inSpan.map(({ cut }) => cut.id));
  const newest = view.cuts.findLast(({ id }) => covering.has(id));
  const cover = newest && findCover(newest);
  if (!cover) return null;
  const [, written] = /<summary>\n?([\s\S]*?)\n?<\/summary>/.exec(cover.text) ?? [];
  const text = (written ?? cover.text).trim();
  return text === "" ? null : { entry: newest.id, text };
}

const findCover = ({ changes }: EntryOf<"cut">) =>
  changes.find((change) => change.kind === "cover");

/** A decision counts as carried over if this share of its longer words is. */
const maxWordsHeld = 0.6;

/** Decisions of the earlier summary that the new one dropped, at most `maxChars` characters. */
export function findLostDecisions(text: string, earlier: string, maxChars: number): string[] {
  const held = new Set(normal(text).split(" "));
  let left = maxChars;
  return linesAbout(earlier, "decisions").filter((line) => {
    const words = normal(line)
      .split(" ")
      .filter((word) => word.length > 3);
    const kept = words.filter((word) => held.has(word)).length;
    if (words.length === 0 || kept / words.length >= maxWordsHeld || line.length > left)
      return false;
    left -= line.length;
    return true;
  });
}
