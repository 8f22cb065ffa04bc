/** Which text of an entry is searchable, and how queries are matched. */

import { dirname } from "node:path";
import type { Block } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";

/** Messages, tool calls and results; not thinking, and nothing derived. */
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

/** All strings and numbers in a tool's input. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Bytes of a result file that are searched. The rest can only be opened. */
const searchedBytes = 4 * 1024 * 1024;

/**
 * The searchable text of an entry. For a result saved in `resultsFolder` it is the start of that
 * file. A log may name any file; files elsewhere are never read.
 */
export async function wholeText(entry: Entry, resultsFolder: string | null): Promise<string> {
  const own = searchableText(entry);
  if (!isSavedIn(entry, resultsFolder)) return own;
  const file = Bun.file(entry.file);
  const text = await file
    .slice(0, searchedBytes)
    .text()
    .catch(() => "");
  // Shorter than its preview: the file is gone or truncated.
  return text.length > own.length ? text : own;
}

/** True for a result whose full text is a file in `resultsFolder`. */
export const isSavedIn = (
  entry: Entry,
  resultsFolder: string | null,
): entry is Entry & { type: "result"; file: string } =>
  entry.type === "result" &&
  entry.file !== undefined &&
  resultsFolder !== null &&
  dirname(entry.file) === resultsFolder;

/** Characters of a piece: the unit of indexing, and the source of a snippet. */
export const pieceChars = 8_000;

/** Splits a text into pieces, so that indexing one of them is quick. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += pieceChars) {
    pieces.push(text.slice(from, from + pieceChars));
  }
  return pieces;
}

/** Linear: long runs of letters, such as base64, are common in results. */
const names = /[A-Za-z][A-Za-z0-9]*/g;
const hump = /([a-z0-9])(?=[A-Z])/g;

/** The text plus the words inside compound names: "meter" finds `contextMeter`. */
export function indexedText(piece: string): string {
  const compounds = new Set<string>();
  for (const [name] of piece.matchAll(names)) {
    const words = name.replace(hump, "$1 ");
    if (words !== name) compounds.add(words);
  }
  return compounds.size === 0 ? piece : `${piece}\n${[...compounds].join(" ")}`;
}

/** The words of a query. Other characters are ignored, so no query is invalid. */
export const wordsOf = (query: string): string[] => {
  const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, 32);
};

/** An FTS5 expression that matches words with these prefixes. */
export const matchOf = (words: readonly string[], joined: "AND" | "OR"): string =>
  words.map((word) => `"${word}"*`).join(` ${joined} `);

/** About `chars` characters around the place with the most of the words, on one line. */
export function snippetOf(piece: string, words: readonly string[], chars = 240): string {
  const lower = piece.toLowerCase();
  const positions = words
    .map((word) => lower.indexOf(word))
    .filter((at) => at !== -1)
    .sort((a, b) => a - b);
  const wordsFrom = (from: number) =>
    positions.filter((at) => at >= from && at < from + chars).length;
  const best = positions.reduce(
    (best, at) => (wordsFrom(at) > wordsFrom(best) ? at : best),
    positions[0] ?? 0,
  );
  const from = Math.max(0, best - 60);
  const to = Math.min(piece.length, from + chars);
  const cut = piece.slice(from, to).replace(/\s+/g, " ").trim().toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${to < piece.length ? "…" : ""}`;
}
