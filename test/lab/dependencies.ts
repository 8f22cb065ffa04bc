/** What each recorded call needed from the history, found once for all policies. */

import { findFilePath, blockText } from "../../src/protocol/block.ts";
import { findPatches, findReplacements, type Replacement } from "./replacements.ts";
import type { Recording } from "./recording.ts";

/** Ids of the entries that hold it, oldest first, all of them before the call. */
type Sources = readonly string[];

type Edit = { needle: string; path: string | null; sources: Sources };

export type Dependency = {
  /** Texts that the call replaces. */
  edits: Edit[];
  /** Runs of lines that its patches keep or remove. */
  patches: Edit[];
  /** Files touched before: the entry that showed or wrote them last. */
  files: { path: string; source: string }[];
  /** Names, paths and error words that appeared before. */
  words: { word: string; sources: Sources }[];
};

/** Id of the entry that the replay makes of a fact: the same under every policy. */
export const toEntryId = (call: number, fact: number): string => `e${call}.${fact}`;
export const toAnswerId = (call: number): string => `e${call}.a`;

type Text = { id: string; call: number; text: string; json: boolean };

export function findDependencies(recording: Recording): Dependency[] {
  const texts = listTexts(recording);
  const byWord = wordIndex(recording, texts);
  const lastShown = new Map<string, string>();
  return recording.calls.map((call, index): Dependency => {
    for (const [at, fact] of call.before.entries()) {
      if (fact.type !== "result") continue;
      for (const stamp of fact.stamps ?? [])
        if (stamp.does === "read") lastShown.set(stamp.path, toEntryId(index, at));
    }
    const need: Dependency = { edits: [], patches: [], files: [], words: [] };
    const words = new Set<string>();
    const inputs = call.answer.flatMap((block) => (block.type === "tool_use" ? [block.input] : []));
    for (const input of inputs) {
      const path = findFilePath(input);
      need.edits.push(...listEdits(findReplacements(input), path, index, texts));
      need.patches.push(...listEdits(findPatches(input), path, index, texts));
      const source = path === null ? undefined : lastShown.get(path);
      if (path !== null && source !== undefined) need.files.push({ path, source });
      for (const word of tellingWords(inputText(input))) words.add(word);
    }
    for (const word of words) {
      const all = byWord.get(word) ?? [];
      const sources = all.filter(({ call: at }) => at <= index).map(({ id }) => id);
      if (sources.length > 0) need.words.push({ word, sources });
    }
    for (const input of inputs) {
      const path = findFilePath(input);
      if (path !== null && typeof input["content"] === "string")
        lastShown.set(path, toAnswerId(index));
    }
    return need;
  });
}

/** Texts in the order in which they enter the history; an answer belongs to the next call's past. */
function listTexts({ calls }: Recording): Text[] {
  return calls.flatMap((call, index) => [
    ...call.before.flatMap((fact, at): Text[] => {
      if (fact.type !== "result" && fact.type !== "user" && fact.type !== "context") return [];
      const text = withoutLineNumbers(blockText(fact.content));
      return [{ id: toEntryId(index, at), call: index, text, json: false }];
    }),
    ...call.answer.flatMap((block): Text[] => {
      const id = toAnswerId(index);
      if (block.type === "text") return [{ id, call: index + 1, text: block.text, json: false }];
      if (block.type !== "tool_use") return [];
      return [{ id, call: index + 1, text: JSON.stringify(block.input), json: true }];
    }),
  ]);
}

function listEdits(
  replacements: readonly Replacement[],
  path: string | null,
  call: number,
  texts: readonly Text[],
): Edit[] {
  return replacements.flatMap(({ from }) => {
    const sources = findHolders(from.trim(), call, texts);
    return sources.length > 0 ? [{ needle: from.trim(), path, sources }] : [];
  });
}

function findHolders(needle: string, call: number, texts: readonly Text[]): string[] {
  const quoted = JSON.stringify(needle).slice(1, -1);
  const ids = new Set<string>();
  for (const text of texts) {
    if (text.call > call) break;
    if (text.text.includes(text.json ? quoted : needle)) ids.add(text.id);
  }
  return [...ids];
}

const inputText = (input: object): string => JSON.stringify(input).replace(/\\[nrt]/g, " ");

function wordIndex(
  { calls }: Recording,
  texts: readonly Text[],
): Map<string, { id: string; call: number }[]> {
  const index = new Map<string, { id: string; call: number }[]>();
  for (const { answer } of calls)
    for (const block of answer)
      if (block.type === "tool_use")
        for (const word of tellingWords(inputText(block.input))) index.set(word, []);
  for (const { id, call, text } of texts) {
    for (const word of tellingWords(text.replace(/\\[nrt]/g, " ")))
      index.get(word)?.push({ id, call });
  }
  return index;
}

/** What a reading tool puts before each line: a number, and an arrow, a tab, a bar or a colon. */
const lineNumber = /^ *\d+[→\t|:]/gm;

export const withoutLineNumbers = (text: string): string => text.replace(lineNumber, "");

/** Paths, compound names and error words: what one call can only know from what it was shown. */
const telling =
  /[A-Za-z_$][\w$]*(?:[./:-][\w$]+)+|[A-Za-z$]+(?:_[A-Za-z\d$]+)+|[a-z]+(?:[A-Z][a-z\d]+)+|[A-Z][a-z\d]+(?:[A-Z][a-z\d]+)+/g;

export function tellingWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(telling)) if (word.length >= 6) words.add(word);
  return words;
}
