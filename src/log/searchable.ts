/** What of an entry can be found by its words, and how words are asked for. */

import type { Block } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";

/** All that was said, asked, called and answered. Not thinking, and nothing that was derived. */
export function searchableText(entry: Entry): string {
  switch (entry.type) {
    case "user":
    case "context":
    case "assistant":
    case "result":
      return entry.content.map(textOfBlock).join("\n");
    default:
      return "";
  }
}

function textOfBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "tool_use":
      return `${block.name} ${stringsIn(block.input).join("\n")}`;
    default:
      return "";
  }
}

/** The strings and numbers somewhere in a tool's input. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Characters of a piece: what is indexed in one go, and what a snippet is taken from. */
export const pieceChars = 8_000;

/** A text in pieces; long ones are cut, since one row of the index must not take long to make. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += pieceChars) {
    pieces.push(text.slice(from, from + pieceChars));
  }
  return pieces;
}

const humps = /[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+/g;

/** The text, and the words inside its compound names: "meter" finds `contextMeter`. */
export function indexedText(piece: string): string {
  const parts = new Set<string>();
  for (const [name] of piece.matchAll(humps)) {
    parts.add(name.replace(/([a-z0-9])(?=[A-Z])/g, "$1 "));
  }
  return parts.size === 0 ? piece : `${piece}\n${[...parts].join(" ")}`;
}

/** The words of a query; everything else in it means nothing, so that no query is wrong. */
export const wordsOf = (query: string): string[] => {
  const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, 32);
};

/** The words in the language of FTS5: each one, or what begins with it. */
export const matchOf = (words: readonly string[], joined: "AND" | "OR"): string =>
  words.map((word) => `"${word}"*`).join(` ${joined} `);

/** About `chars` characters around the place that holds the most of the words, on one line. */
export function snippetOf(piece: string, words: readonly string[], chars = 240): string {
  const lower = piece.toLowerCase();
  const places = words
    .map((word) => lower.indexOf(word))
    .filter((at) => at !== -1)
    .sort((a, b) => a - b);
  const inReach = (from: number) => places.filter((at) => at >= from && at < from + chars).length;
  const best = places.reduce(
    (best, at) => (inReach(at) > inReach(best) ? at : best),
    places[0] ?? 0,
  );
  const from = Math.max(0, best - 60);
  const to = Math.min(piece.length, from + chars);
  const cut = piece.slice(from, to).replace(/\s+/g, " ").trim().toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${to < piece.length ? "…" : ""}`;
}
