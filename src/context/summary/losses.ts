import { textOf, type Block } from "../../protocol/block.ts";
import type { EntryId, Loss } from "../../protocol/entry.ts";
import type { Row } from "../types.ts";

/** What a report names at most, of each kind. */
const mostOfAKind = 12;

/** Longer texts are read up to here: a report is a hint, not an index. */
const readChars = 40_000;

const patterns: Record<Exclude<Loss["kind"], "instruction">, RegExp> = {
  path: /(?:[\w.-]+\/)+[\w.-]+\.\w{1,8}/g,
  identifier: /\b(?:[a-z]+[A-Z]\w{3,}|[A-Z][a-z]+[A-Z]\w{2,}|[a-zA-Z]+_[a-zA-Z_]{3,})\b/g,
  number: /\b\d{3,}(?:\.\d+)?\b/g,
  decision: /[^.\n]{0,160}\b(?:decided|instead of|rather than|chose|because)\b[^.\n]{0,160}\./gi,
};

/**
 * Paths, identifiers, numbers and decisions of the covered rows that the new view no longer holds,
 * those that were named most often first, each with the entry where the original is.
 */
export function lossesOf(rows: readonly Row[], stillHeld: string): Loss[] {
  const counts = new Map<string, { loss: Loss; times: number }>();
  for (const { entry } of rows) {
    if (entry.type !== "assistant" && entry.type !== "result" && entry.type !== "user") continue;
    const text = wordsOf(entry.content).slice(0, readChars);
    for (const kind of ["path", "identifier", "number", "decision"] as const) {
      for (const [found] of text.matchAll(patterns[kind]))
        count(counts, kind, found.trim(), entry.id);
    }
  }
  const lost = [...counts.values()].filter(({ loss, times }) => {
    const rare = loss.kind === "identifier" || loss.kind === "number";
    return (!rare || times >= 3) && !stillHeld.includes(loss.text);
  });
  const taken: Record<string, number> = {};
  return lost
    .sort((a, b) => b.times - a.times)
    .filter(({ loss }) => (taken[loss.kind] = (taken[loss.kind] ?? 0) + 1) <= mostOfAKind)
    .map(({ loss }) => loss);
}

function count(
  counts: Map<string, { loss: Loss; times: number }>,
  kind: Loss["kind"],
  text: string,
  entry: EntryId,
): void {
  const seen = counts.get(text);
  if (seen) seen.times++;
  else counts.set(text, { loss: { kind, text, entry }, times: 1 });
}

const wordsOf = (content: readonly Block[]): string =>
  [
    textOf(content),
    ...content.flatMap((block) => (block.type === "tool_use" ? [JSON.stringify(block.input)] : [])),
  ].join("\n");
