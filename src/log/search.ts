/** Full-text search over entries: messages, tool calls and results; not thinking, nothing derived. */

import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Block } from "../protocol/block.ts";
import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";
import { parseLine } from "./parse.ts";

export type Hit = {
  entry: EntryId;
  /** Time of the entry, ISO 8601. */
  at: string;
  /** The entry; a large result holds its preview. */
  source: Entry;
  /** The words in context, on one line. */
  snippet: string;
  /** Higher is better; comparable within one search only. */
  score: number;
};

type SearchOptions = {
  limit: number;
  /** Folder with the full text of large results, which is also searched. */
  resultsFolder: string | null;
  /** Entries that are not searched, such as the question that asks for the others. */
  skips?: ((entry: Entry) => boolean) | undefined;
  signal?: AbortSignal | undefined;
};

/** Characters searched before yielding to the event loop: a few milliseconds of work. */
const sliceChars = 512 * 1024;

/**
 * An entry with some of the words: how often it has each, how many phrases it has, and its length in
 * characters.
 */
type Match = { entry: Entry; counts: number[]; phrases: number; chars: number };

/**
 * Entries with all words of the query, or else with some of them; those with the query as it is
 * written, or with its compounds such as `value_1_5`, come first, then the best. A word matches where a
 * word begins with it, also inside a compound name: "meter" finds `contextMeter`. Case and accents do
 * not matter.
 */
export async function searchEntries(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  query: string,
  { limit, resultsFolder, skips, signal }: SearchOptions,
): Promise<Hit[]> {
  const words = splitWords(query);
  if (words.length === 0) return [];
  const phrases = findPhrases(query);
  const matches: Match[] = [];
  let searched = 0;
  let allChars = 0;
  let sliceEnds = sliceChars;
  for await (const entry of entries) {
    if (signal?.aborted) break;
    if (skips?.(entry)) continue;
    const text = await wholeText(entry, resultsFolder);
    searched++;
    allChars += text.length;
    const counts = countWords(text, words);
    if (counts.some((count) => count > 0)) {
      const lower = phrases.length > 0 ? plain(text) : "";
      const found = phrases.filter((phrase) => hasPhrase(lower, phrase)).length;
      matches.push({ entry, counts, phrases: found, chars: text.length });
    }
    if (allChars < sliceEnds) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceEnds = allChars + sliceChars;
  }
  const whole = matches.filter(({ counts }) => counts.every((count) => count > 0));
  const best = ranked(whole.length > 0 ? whole : matches, searched, allChars / searched);
  const shown = best.slice(0, limit).map(async ({ entry: source, score }) => {
    const snippet = makeSnippet(await wholeText(source, resultsFolder), words);
    return { entry: source.id, at: source.at, source, snippet, score };
  });
  return Promise.all(shown);
}

/** The entries of a log that another process may be writing, one after the other. */
export async function* readEntries(file: string): AsyncGenerator<Entry, void> {
  await using log = await open(file);
  for await (const line of log.readLines()) {
    const { entry } = parseLine(line);
    if (entry) yield entry;
  }
}

/** The words of a query. Other characters are ignored, so no query is invalid. */
const splitWords = (query: string): string[] => {
  const words =
    folded(query)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].slice(0, 32);
};

/** The query as it is written, if it has several words, and its compounds. */
function findPhrases(query: string): string[] {
  const whole = plain(query).trim();
  const compounds = whole.match(/[\p{L}\p{N}]+(?:[^\p{L}\p{N}\s]+[\p{L}\p{N}]+)+/gu) ?? [];
  return [...new Set([...(/\s/.test(whole) ? [whole] : []), ...compounds])];
}

function hasPhrase(text: string, phrase: string): boolean {
  const isPart = (at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1))
    if (!isPart(at - 1) && !isPart(at + phrase.length)) return true;
  return false;
}

const plain = (text: string): string => folded(text).toLowerCase().replace(/\s+/g, " ");

/** Occurrences beyond this do not raise the score. */
const maxCounted = 50;

function countWords(text: string, words: readonly string[]): number[] {
  const cased = folded(text);
  const lower = cased.toLowerCase();
  return words.map((word) => {
    let count = 0;
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
      if (beginsWord(cased, at) && ++count === maxCounted) break;
    return count;
  });
}

const isAscii = /^[\x20-\x7e\s]*$/;

/** The text without accents. */
const folded = (text: string): string =>
  isAscii.test(text) ? text : text.normalize("NFD").replace(/\p{M}+/gu, "");

/** Whether a word begins here, including at a capital inside a compound name. */
function beginsWord(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  return (
    !/[\p{L}\p{N}]/u.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(text.charAt(at)))
  );
}

/** How soon more occurrences of a word count less, and how much a long text counts less (BM25). */
const bm25 = { saturation: 1.2, length: 0.75 };

/**
 * Phrase matches first, then by score, then newest first. `searched`, `meanChars`: number and mean length of all
 * entries.
 */
function ranked(matches: readonly Match[], searched: number, meanChars: number) {
  const { saturation, length } = bm25;
  const [first] = matches;
  const rarities = (first?.counts ?? []).map((_, word) => {
    const having = matches.filter(({ counts }) => (counts[word] ?? 0) > 0).length;
    return Math.log(1 + (searched - having + 0.5) / (having + 0.5));
  });
  const score = ({ counts, chars }: Match): number => {
    const half = saturation * (1 - length + (length * chars) / meanChars);
    return counts.reduce(
      (sum, count, word) => sum + ((rarities[word] ?? 0) * count) / (count + half),
      0,
    );
  };
  return matches
    .map((match) => ({ entry: match.entry, phrases: match.phrases, score: score(match) }))
    .reverse()
    .sort((a, b) => b.phrases - a.phrases || b.score - a.score);
}

/** Bytes of a result file that are searched. The rest can only be opened. */
const searchedBytes = 4 * 1024 * 1024;

/**
 * The searchable text of an entry. For a result saved in `resultsFolder` it is the start of that
 * file. A log may name any file; files elsewhere are never read.
 */
async function wholeText(entry: Entry, resultsFolder: string | null): Promise<string> {
  const own = searchableText(entry);
  if (!isSavedResult(entry, resultsFolder)) return own;
  const text = await Bun.file(entry.file)
    .slice(0, searchedBytes)
    .text()
    .catch(() => "");
  // Shorter than its preview: the file is gone or truncated.
  return text.length > own.length ? text : own;
}

/** True for a result whose full text is a file in `resultsFolder`. */
export const isSavedResult = (
  entry: Entry,
  resultsFolder: string | null,
): entry is EntryOf<"result" | "step"> & { file: string } =>
  isOutcome(entry) &&
  entry.file !== undefined &&
  resultsFolder !== null &&
  dirname(entry.file) === resultsFolder;

function searchableText(entry: Entry): string {
  switch (entry.type) {
    case "user":
    case "context":
    case "assistant":
    case "result":
      return entry.content.map(textOfBlock).join("\n");
    case "step":
      return [...listStrings(entry.input), ...entry.content.map(textOfBlock)].join("\n");
    default:
      return "";
  }
}

function textOfBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "tool_use":
      return `${block.name} ${listStrings(block.input).join("\n")}`;
    default:
      return "";
  }
}

/** All strings and numbers in a tool's input. */
function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listStrings);
}

/** Characters of a snippet, and those of them before the first word. */
const snippet = { chars: 240, before: 60 };

/** The text around the place with the most of the words, on one line. */
function makeSnippet(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const positions = words
    .map((word) => lower.indexOf(word))
    .filter((at) => at !== -1)
    .sort((a, b) => a - b);
  const wordsFrom = (from: number) =>
    positions.filter((at) => at >= from && at < from + snippet.chars).length;
  const best = positions.reduce(
    (best, at) => (wordsFrom(at) > wordsFrom(best) ? at : best),
    positions[0] ?? 0,
  );
  const from = Math.max(0, best - snippet.before);
  const to = Math.min(text.length, from + snippet.chars);
  const cut = text.slice(from, to).replace(/\s+/g, " ").trim().toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${to < text.length ? "…" : ""}`;
}
