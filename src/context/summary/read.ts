/** Reads a written summary: a model's answer, the sections in it, and the earlier one that is covered. */

import { normal } from "./rules.ts";
import type { View } from "../types.ts";
import { spanRange, type RowRange } from "../view/rows.ts";
import type { EntryId, EntryOf, Span } from "../../protocol/entry.ts";
import type { Stop } from "../../protocol/model.ts";

type ReadSummary = { text: string } | { rejected: string };

/** An answer without tags that is shorter is not a summary. */
const fewestChars = 80;

/** Fewest letters between the tags: there may be little to say. */
const fewestLetters = 20;

/** An answer without tags counts as a summary if it has this many of the requested sections. */
const fewestSections = 3;

/**
 * The summary in a model's answer, without its analysis. An answer that was cut off, is empty, is not
 * a summary, or is no smaller than the `replacesChars` that it replaces is rejected with the reason.
 */
export function readSummary(
  answer: string,
  stop: Stop,
  replacesChars = Number.POSITIVE_INFINITY,
): ReadSummary {
  const reason = stopReason(stop);
  if (reason !== null) return { rejected: reason };
  const thoughtThrough = answer.replace(/<analysis>[\s\S]*?<\/analysis>/gi, "");
  const open = /<summary>/i.exec(thoughtThrough);
  const close = thoughtThrough.toLowerCase().lastIndexOf("</summary>");
  let text: string;
  if (open) {
    const from = open.index + open[0].length;
    if (close < from) return { rejected: "it was cut off" };
    text = thoughtThrough.slice(from, close);
  } else {
    if (/<analysis>/i.test(thoughtThrough)) return { rejected: "its analysis was cut off" };
    text = thoughtThrough;
    if (stop === "tool_use") return { rejected: "the model called a tool instead" };
    const known = splitSections(text).filter(({ category }) => category !== "other").length;
    if (text.trim() !== "" && (text.trim().length < fewestChars || known < fewestSections))
      return { rejected: "the answer is not a summary" };
  }
  text = text.replace(/<\/?(?:summary|analysis)>/gi, "").trim();
  if (letterCount(text) < fewestLetters) return { rejected: "it is empty" };
  if (text.length >= replacesChars)
    return { rejected: "it is no smaller than what it would replace" };
  return { text };
}

/** Letters and digits: a line of dashes has none. */
export const letterCount = (text: string): number => text.replace(/[^\p{L}\p{N}]+/gu, "").length;

/** Why an answer that ended like this cannot hold a whole summary. */
function stopReason(stop: Stop): string | null {
  switch (stop) {
    case "max_tokens":
    case "model_context_window_exceeded":
    case "unknown":
    case "interrupted":
    case "failed":
      return "it was cut off";
    case "refusal":
      return "the model declined to write it";
    case "end_turn":
    case "tool_use":
    case "stop_sequence":
    case "pause_turn":
    case "compaction":
      return null;
    default:
      return stop satisfies never;
  }
}

/** "asked": another section of those that are asked for. */
type Category = "decisions" | "asked" | "other";

type Section = { category: Category; lines: string[] };

/** The first match wins. */
const titles: readonly [Category, RegExp][] = [
  ["asked", /next|continu|messages?\b|said|intent|need|request|instruction|constraint/i],
  ["asked", /goal|wants?\b|task and/i],
  ["decisions", /decision|decided|why|concept|ruled out/i],
  ["asked", /error|fix|fail|problem|open|pending|cancel|todo|task|left|file|change|code|command/i],
  ["asked", /state|stand|current|now|done|accomplish|progress/i],
];

const heading =
  /^\s*(?:#{1,6}\s+|\*\*\s*)?(?:\d{1,2}[.)]\s+)?(?:\*\*)?([\p{L}][^:*\n]{2,60}?)(?:\*\*)?:?(?:\*\*)?\s*$/u;
const inline =
  /^\s*(?:\d{1,2}[.)]\s+|#{1,6}\s+|\*\*)(?:\*\*)?([\p{L}][^:*\n]{2,60}?)(?:\*\*)?:(?:\*\*)?\s+(\S.*)$/u;

/** Sections in order; text before the first heading is "other". */
function splitSections(summary: string): Section[] {
  const sections: Section[] = [{ category: "other", lines: [] }];
  for (const line of summary.split(/\n\s*/)) {
    const [, title, rest] = inline.exec(line) ?? matchHeading(line) ?? [];
    if (title === undefined) {
      sections.at(-1)?.lines.push(line.trim());
      continue;
    }
    sections.push({ category: categorize(title), lines: rest === undefined ? [] : [rest.trim()] });
  }
  return sections;
}

/** The decisions that a summary lists, without bullets. */
export const listDecisions = (summary: string): string[] =>
  splitSections(summary)
    .filter(({ category }) => category === "decisions")
    .flatMap(({ lines }) => lines.map((line) => line.replace(/^[-*•]\s+/, "")));

/** A line marked as a heading by `#`, a number or stars. */
function matchHeading(line: string): RegExpExecArray | null {
  const marked = /^\s*(?:#{1,6}\s|\d{1,2}[.)]\s|\*\*)/.test(line);
  return marked ? heading.exec(line) : null;
}

const categorize = (title: string): Category =>
  titles.find(([, pattern]) => pattern.test(title))?.[0] ?? "other";

/** The summary text of the newest active cover in the span, without its verbatim parts. */
export const previousSummary = (view: View, span: Span): string | null =>
  previousCut(spanRange(view, span))?.text ?? null;

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
  return listDecisions(earlier).filter((line) => {
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
