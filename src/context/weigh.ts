/** How much an entry weighs: characters by kind, from which the meter makes tokens. */

import type { Block, ImageBlock } from "../protocol/block.ts";
import type { Kind } from "./types.ts";

/** Characters by kind of content; images count in tokens. */
export type Weight = Record<Kind, number> & { imageTokens: number };

export const noWeight = (): Weight => ({
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
});

/** `kind`: what plain text counts as. */
export function weigh(blocks: readonly Block[], kind: Kind): Weight {
  const weight = noWeight();
  for (const block of blocks) add(weight, block, kind);
  return weight;
}

function add(weight: Weight, block: Block, kind: Kind): void {
  switch (block.type) {
    case "text":
      weight[kind] += block.text.length;
      return;
    case "image":
      weight.imageTokens += imageTokens(block);
      return;
    case "thinking":
      // With display "omitted" the text is empty and the signature, which grows with it, is all we see.
      weight.thinking += Math.max(block.thinking.length, block.signature.length * 0.75);
      return;
    case "redacted_thinking":
      weight.thinking += block.data.length * 0.75;
      return;
    case "tool_use":
      weight.toolInputs += block.name.length + JSON.stringify(block.input).length;
      return;
    case "tool_result":
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
export function shift(into: Weight, of: Weight, times: 1 | -1): void {
  for (const key of weightKeys) into[key] += times * of[key];
}

const weightKeys = [
  "system",
  "tools",
  "instructions",
  "user",
  "assistant",
  "thinking",
  "toolInputs",
  "toolResults",
  "summary",
  "imageTokens",
] as const satisfies readonly (keyof Weight)[];

/** All characters; an image as if it were text of its size. */
export const charsOf = (weight: Weight): number =>
  weightKeys.reduce((sum, key) => sum + weight[key] * (key === "imageTokens" ? 4 : 1), 0);

/** Where a picture's size is unknown; about that of a screenshot that the API scaled down. */
const usualImageTokens = 1_600;

/** Width x height / 750, as the API's documentation on vision has it; at most 1,568 pixels a side. */
export function imageTokens({ source }: ImageBlock): number {
  if (source.media_type !== "image/png") return usualImageTokens;
  const head = atob(source.data.slice(0, 32));
  const number = (at: number): number =>
    [0, 1, 2, 3].reduce((sum, i) => sum * 256 + head.charCodeAt(at + i), 0);
  const width = number(16);
  const height = number(20);
  if (!(width > 0 && height > 0 && width < 1e5 && height < 1e5)) return usualImageTokens;
  const scale = Math.min(1, 1_568 / Math.max(width, height));
  return Math.ceil((width * scale * height * scale) / 750);
}
