/** Characters by kind of content, from which the meter estimates tokens. */

import type { Block } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import { imageTokens } from "../../protocol/image.ts";

export const kinds = [
  "system",
  "tools",
  "instructions",
  "user",
  "assistant",
  "thinking",
  "toolInputs",
  "toolResults",
  "summary",
] as const;

/** Kind of content, as the meter breaks it down. */
export type Kind = (typeof kinds)[number];

/** The kind of an entry's plain text. */
export function classifyEntry(entry: Entry): Kind {
  switch (entry.type) {
    case "assistant":
      return "assistant";
    case "result":
      return "toolResults";
    case "context":
      return "instructions";
    case "cut":
      return "summary";
    default:
      return "user";
  }
}

/** Characters by kind; images in tokens. */
export type CharsByKind = Record<Kind, number> & { imageTokens: number };

const countedKeys = [...kinds, "imageTokens"] as const satisfies readonly (keyof CharsByKind)[];

/** Shared, since many rows are empty. */
export const zeroChars: Readonly<CharsByKind> = Object.freeze(newCharsByKind());

/** Literals are faster than a spread, and these run for every row. */
export function newCharsByKind(): CharsByKind {
  return {
    system: 0,
    tools: 0,
    instructions: 0,
    user: 0,
    assistant: 0,
    thinking: 0,
    toolInputs: 0,
    toolResults: 0,
    summary: 0,
    imageTokens: 0,
  };
}

export function zeroByKind(): Record<Kind, number> {
  const { imageTokens: _, ...byKind } = newCharsByKind();
  return byKind;
}

/** `kind`: the kind of plain text. */
export function charCount(blocks: readonly Block[], kind: Kind): CharsByKind {
  const chars = newCharsByKind();
  for (const block of blocks) add(chars, block, kind);
  return chars;
}

/** Characters of a tool result beside its content: two tags and an id. */
export const resultFrame = 30;
const callFrame = 40;

/** Bytes of Base64. */
const countBytes = (base64: string): number => Math.ceil(base64.length * 0.75);

function add(chars: CharsByKind, block: Block, kind: Kind): void {
  switch (block.type) {
    case "text":
      chars[kind] += block.text.length;
      return;
    case "image":
      chars.imageTokens += imageTokens(block);
      return;
    case "thinking":
      // When thinking is omitted from the response, only the signature shows its size.
      chars.thinking += Math.max(1, block.thinking.length, countBytes(block.signature));
      return;
    case "redacted_thinking":
      chars.thinking += Math.max(1, countBytes(block.data));
      return;
    case "tool_use":
      chars.toolInputs += callFrame + block.name.length + JSON.stringify(block.input).length;
      return;
    case "tool_result":
      chars.toolResults += resultFrame;
      for (const part of block.content) add(chars, part, "toolResults");
      if (block.loads) chars.tools += JSON.stringify(block.loads).length;
      return;
    case "compaction":
      chars.summary += block.content?.length ?? 0;
      return;
    default:
      block satisfies never;
  }
}

/** Adds the characters of `counts` to `total`, or subtracts them. */
export function shift(total: CharsByKind, counts: CharsByKind, sign: 1 | -1): void {
  for (const key of countedKeys) total[key] += sign * counts[key];
}

export const sameChars = (a: CharsByKind, b: CharsByKind): boolean =>
  a === b || countedKeys.every((key) => a[key] === b[key]);

/** All characters; an image counts as text of its size. */
export function sumChars(counts: CharsByKind): number {
  let chars = counts.imageTokens * 4;
  for (const kind of kinds) chars += counts[kind];
  return chars;
}
