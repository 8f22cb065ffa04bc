/** How much an entry weighs: characters by kind, from which the meter makes tokens. */

import type { Block } from "../protocol/block.ts";
import { imageTokens } from "./image.ts";
import type { Kind } from "./types.ts";

/** Characters by kind of content; images count in tokens. */
export type CharsByKind = Record<Kind, number> & { imageTokens: number };

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
] as const satisfies readonly Kind[];

const weightKeys = [...kinds, "imageTokens"] as const satisfies readonly (keyof CharsByKind)[];

/** What weighs nothing; shared, since there are many such rows. */
export const nothing: Readonly<CharsByKind> = Object.freeze(noChars());

/** Written out, for it is made for every row: a spread copies it slowly. */
export function noChars(): CharsByKind {
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

export const zeroByKind = (): Record<Kind, number> => ({
  system: 0,
  tools: 0,
  instructions: 0,
  user: 0,
  assistant: 0,
  thinking: 0,
  toolInputs: 0,
  toolResults: 0,
  summary: 0,
});

/** `kind`: what plain text counts as. */
export function charCount(blocks: readonly Block[], kind: Kind): CharsByKind {
  const weight = noChars();
  for (const block of blocks) add(weight, block, kind);
  return weight;
}

/** What a tool result adds beside its content: two tags and an id, in characters. */
const resultFrame = 30;
const callFrame = 40;

function add(weight: CharsByKind, block: Block, kind: Kind): void {
  switch (block.type) {
    case "text":
      weight[kind] += block.text.length;
      return;
    case "image":
      weight.imageTokens += imageTokens(block);
      return;
    case "thinking":
      // With display "omitted" the text is empty and the signature, which grows with it, is all we see.
      weight.thinking += Math.max(1, block.thinking.length, block.signature.length * 0.75);
      return;
    case "redacted_thinking":
      weight.thinking += Math.max(1, block.data.length * 0.75);
      return;
    case "tool_use":
      weight.toolInputs += callFrame + block.name.length + JSON.stringify(block.input).length;
      return;
    case "tool_result":
      weight.toolResults += resultFrame;
      for (const part of block.content) add(weight, part, "toolResults");
      return;
    case "compaction":
      weight.summary += block.content?.length ?? 0;
      return;
    default:
      block satisfies never;
  }
}

/** `into` changes by `times` (1 or -1) the weight of `of`. */
export function shift(into: CharsByKind, of: CharsByKind, times: 1 | -1): void {
  for (const key of weightKeys) into[key] += times * of[key];
}

export const sameChars = (a: CharsByKind, b: CharsByKind): boolean =>
  a === b || weightKeys.every((key) => a[key] === b[key]);

/** All characters; an image as if it were text of its size. */
export function charsOf(weight: CharsByKind): number {
  let chars = weight.imageTokens * 4;
  for (const kind of kinds) chars += weight[kind];
  return chars;
}
