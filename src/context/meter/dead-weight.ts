/**
 * Results that nothing uses. A result is needed when its file is read or edited again, or when an answer or a
 * call repeats one of its words that nothing newer holds.
 */

import { blockText, findFilePath } from "../../protocol/block.ts";
import type { EntryId } from "../../protocol/entry.ts";
import type { View } from "../types.ts";
import { isResult, type ResultRow } from "../view/rows.ts";
import { findTouches } from "../view/touches.ts";

export type LastUse = {
  readonly row: ResultRow;
  /** Calls of the model since the result. */
  readonly callsSince: number;
  /** The newest answer that needed it; null: none did. */
  readonly usedBy: EntryId | null;
};

/** Paths, compound names and error words: words that a call can only know from what it was shown. */
const telling =
  /[A-Za-z_$][\w$]*(?:[./:-][\w$]+)+|[A-Za-z$]+(?:_[A-Za-z\d$]+)+|[a-z]+(?:[A-Z][a-z\d]+)+|[A-Z][a-z\d]+(?:[A-Z][a-z\d]+)+/g;
const leastWordChars = 6;

/** Characters of one entry that are searched. */
const searchedChars = 100_000;

function* tellingWords(text: string): Generator<string> {
  for (const [word] of text.slice(0, searchedChars).matchAll(telling))
    if (word.length >= leastWordChars) yield word;
}

/** Results that are in view whole, oldest first. */
export function findLastUses(view: View): LastUse[] {
  const sources: { row: ResultRow; calls: number; usedBy: EntryId | null }[] = [];
  /** The newest result that holds a word, or that showed a file, by its place in `sources`. */
  const byWord = new Map<string, number>();
  const byFile = new Map<string, number>();
  let calls = 0;
  for (const row of view.rows) {
    const { entry, shown } = row;
    if (entry.type === "assistant") {
      calls++;
      const use = (source = -1): void => {
        const found = sources[source];
        if (found) found.usedBy = entry.id;
      };
      for (const block of entry.content) {
        if (block.type !== "text" && block.type !== "tool_use") continue;
        const text = block.type === "text" ? block.text : JSON.stringify(block.input);
        for (const word of tellingWords(text.replace(/\\[nrt]/g, " "))) use(byWord.get(word));
        if (block.type === "tool_use") use(byFile.get(findFilePath(block.input) ?? ""));
      }
    }
    if (!isResult(row) || shown !== "whole") continue;
    const source = sources.push({ row, calls, usedBy: null }) - 1;
    for (const word of tellingWords(blockText(row.entry.content))) byWord.set(word, source);
    for (const { path } of findTouches(view, row)) byFile.set(path, source);
  }
  return sources.map(({ row, calls: before, usedBy }) => ({
    row,
    callsSince: calls - before,
    usedBy,
  }));
}

/**
 * Calls after which a result that nothing needed is taken for dead weight: of those flagged in recorded
 * sessions 97 % are never needed later (`test/lab/dead-weight.ts`).
 */
export const unusedAfterCalls = 10;
