/** The loss report: content that a summary no longer mentions. Stored with the cut. */

import { clipLine, takeStart } from "../../base/clip.ts";
import { blockText } from "../../protocol/block.ts";
import type { EntryId, Loss } from "../../protocol/entry.ts";
import { isProse, normal } from "./rules.ts";
import { uncovered, type RowRange } from "../view/rows.ts";
import { previousCut } from "./read.ts";

/** Items of each kind that a report lists. */
const maxOfAKind = 12;

/** Longer texts are only read this far: a report is a hint, not an index. */
const readChars = 40_000;

type FoundKind = Exclude<Loss["kind"], "instruction">;

/** Every repetition is bounded, because these texts are untrusted. */
const patterns: Record<Exclude<FoundKind, "decision">, RegExp> = {
  error:
    /^[ \t]*(?:[\w.]{0,60}(?:Error|Exception)|error|fatal|panic)\b(?:\[?[A-Z]{0,4}\d{1,6}\]?)?[^\n:]{0,60}:[^\n]{6,400}/gm,
  path: /(?<![\w./-])~?(?:\.{0,2}\/)?(?:[\w@.-]{1,80}\/){1,20}[\w@.-]{0,80}\w/g,
  identifier:
    /(?<![\w/.-])(?:[a-z][a-z\d]{0,40}[A-Z]\w{2,60}|[A-Z][a-z\d]{1,40}[A-Z]\w{2,60}|[A-Za-z][A-Za-z\d]{0,40}_\w{1,60}|[A-Za-z_]\w{2,60}(?=\(\)))(?![\w/])/g,
  number:
    /(?<![\w./-])\d(?:[\d,]{0,20}\d)?(?:\.\d{1,12})?(?:\s?(?:%|ms|s|KB|MB|GB|px))?(?![\w/-])/g,
};

const decides =
  /\b(?:decided|decide to|instead of|rather than|chose|opted|because|the reason|ruled out|won't|will not)\b/i;

/** Weight of a mention, by who made it. */
const weights = { user: 4, assistant: 3, input: 2, result: 1 } as const;

/** Items of less total weight were only mentioned in passing. */
const minWeight: Record<FoundKind, number> = {
  path: 2,
  error: 1,
  identifier: 2,
  number: 3,
  decision: 3,
};

/**
 * Paths, identifiers, numbers and decisions of the rows, as the model saw them until now, that
 * `stillHeld` no longer holds: those that were named most often first, each with the newest entry that
 * names it.
 */
export function findLosses(range: RowRange, stillHeld: string): Loss[] {
  const counts = new Counts();
  const earlier = previousCut(range);
  if (earlier) counts.add(earlier.entry, earlier.text, weights.assistant, kinds);
  for (const { entry, shown } of uncovered(range)) {
    switch (entry.type) {
      case "user":
        counts.add(entry.id, blockText(entry.content), weights.user, [
          "path",
          "error",
          "identifier",
        ]);
        counts.add(entry.id, keepProse(blockText(entry.content)), weights.user, ["number"]);
        break;
      case "assistant":
        if (shown === "unsent") break;
        counts.add(entry.id, blockText(entry.content), weights.assistant, kinds);
        for (const block of entry.content) {
          if (block.type !== "tool_use") continue;
          const input = Object.values(block.input).filter((value) => typeof value === "string");
          counts.add(entry.id, input.join("\n"), weights.input, ["path", "identifier"]);
        }
        break;
      case "result":
        // Numbers in results are mostly line numbers.
        counts.add(entry.id, blockText(entry.content), weights.result, [
          "path",
          "error",
          "identifier",
        ]);
        for (const { path } of entry.stamps ?? []) counts.count("path", path, entry.id, 3);
        break;
      default:
    }
  }
  const held = new Set(tokenize(stillHeld));
  const heldWords = normal(stillHeld);
  return kinds.flatMap((kind) =>
    counts
      .ranked(kind)
      .filter(({ text }) =>
        kind === "decision" ? !heldWords.includes(normal(text)) : !isHeld(text, held),
      )
      .slice(0, maxOfAKind),
  );
}

const kinds = [
  "path",
  "error",
  "identifier",
  "number",
  "decision",
] as const satisfies readonly FoundKind[];

/** A path also counts as held if a path with the same last two parts is. */
function isHeld(text: string, held: ReadonlySet<string>): boolean {
  return held.has(text) || (text.includes("/") && held.has(shortenPath(text)));
}

const shortenPath = (path: string): string => `…/${path.split("/").slice(-2).join("/")}`;

function* tokenize(text: string): Generator<string> {
  for (const kind of ["path", "error", "identifier", "number"] as const) {
    for (const [found] of text.matchAll(patterns[kind])) {
      yield clipFound(found);
      if (kind === "path") yield shortenPath(found);
    }
  }
}

function findAll(kind: FoundKind, text: string): string[] {
  if (kind === "decision") {
    return text
      .split(/(?<=[.!?])\s+|\n+/)
      .filter((sentence) => decides.test(sentence))
      .map((sentence) => clipLine(sentence, 300));
  }
  const found = [...text.matchAll(patterns[kind])].map(([match]) => clipFound(match));
  if (kind === "number") return found.filter((number) => number.replace(/\D/g, "").length > 1);
  return kind === "path" ? found.filter(isPath) : found;
}

/** Only error messages are longer than this. */
const maxChars = 250;

const clipFound = (found: string): string => takeStart(found.trim(), maxChars);

/** Not "and/or": it starts like a path, goes deep, or ends in a file's name. */
const isPath = (text: string): boolean =>
  /^[~./]/.test(text) || text.split("/").length > 2 || /\/[^/]*\.\w+$/.test(text);

/** Without pasted logs and tables, whose numbers do not matter later. */
const keepProse = (text: string): string => text.split("\n").filter(isProse).join("\n");

class Counts {
  readonly #counts = new Map<FoundKind, Map<string, { entry: EntryId; weight: number }>>();

  add(entry: EntryId, text: string, weight: number, wanted: readonly FoundKind[]): void {
    const read = takeStart(text, readChars);
    for (const kind of wanted) {
      for (const found of findAll(kind, read)) this.count(kind, found, entry, weight);
    }
  }

  count(kind: FoundKind, text: string, entry: EntryId, weight: number): void {
    const ofKind = this.#counts.get(kind) ?? new Map<string, { entry: EntryId; weight: number }>();
    this.#counts.set(kind, ofKind);
    ofKind.set(text, { entry, weight: (ofKind.get(text)?.weight ?? 0) + weight });
  }

  ranked(kind: FoundKind): Loss[] {
    return [...(this.#counts.get(kind) ?? [])]
      .filter(([, { weight }]) => weight >= minWeight[kind])
      .sort(([, a], [, b]) => b.weight - a.weight)
      .map(([text, { entry }]) => ({ kind, text, entry }));
  }
}
