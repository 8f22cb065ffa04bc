/** The user's own words in a span: what no summary may lose. */

import { textOf } from "../../protocol/block.ts";
import type { EntryId, Span } from "../../protocol/entry.ts";
import type { Row, View } from "../types.ts";

export type Words = { entry: EntryId; text: string };

/** Rows of a span, also those that an earlier summary covers. */
export function rowsOf(view: View, span: Span): readonly Row[] {
  const from = view.indexOf(span.from) ?? 0;
  return view.rows.slice(from, (view.indexOf(span.to) ?? from) + 1);
}

/** Every message of the user's, oldest first. */
export const userWords = (rows: readonly Row[]): Words[] =>
  rows.flatMap(({ entry }) =>
    entry.type === "user" ? [{ entry: entry.id, text: textOf(entry.content).trim() }] : [],
  );

/** The newest words that fit into `mostChars` together, oldest first; at least the newest, clipped. */
export function newestWords(words: readonly Words[], mostChars: number): Words[] {
  const kept: Words[] = [];
  let left = mostChars;
  for (const one of words.toReversed()) {
    if (one.text.length <= left) kept.unshift(one);
    else if (kept.length === 0 && left > 200)
      kept.unshift({ ...one, text: `${one.text.slice(0, left - 40)}\n[...]` });
    else break;
    left -= one.text.length;
  }
  return kept;
}

const demands =
  /\b(always|never|do not|don't|must|mustn't|should|shouldn't|only|make sure|ensure|from now on|prefer|avoid|keep|remember|instead of|without|use|stop|please|no longer|immer|nie|niemals|nicht|nur|siempre|nunca|toujours|jamais)\b/i;

/** Sentences in which the user says how things have to be done. */
export function instructionsIn(words: readonly Words[]): Words[] {
  return words.flatMap(({ entry, text }) =>
    text
      .replace(/```[\s\S]*?```/g, "")
      .split(/(?<=[.!?])\s+|\n+/)
      .map((sentence) => sentence.trim())
      .filter(
        (sentence) => sentence.length >= 8 && sentence.length <= 400 && demands.test(sentence),
      )
      .map((sentence) => ({ entry, text: sentence })),
  );
}

/** Those of the instructions that the text does not hold. */
export function missingFrom(text: string, instructions: readonly Words[]): Words[] {
  const held = normal(text);
  const seen = new Set<string>();
  return instructions.filter((instruction) => {
    const wanted = normal(instruction.text);
    if (held.includes(wanted) || seen.has(wanted)) return false;
    seen.add(wanted);
    return true;
  });
}

/** Letters and digits only: punctuation and line breaks do not make a different instruction. */
const normal = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
