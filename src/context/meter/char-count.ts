/** Characters by kind of content, from which the meter estimates tokens. */

import type { Block, ImageBlock } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";

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
const resultFrame = 30;
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

/** For images of unknown size: about that of a screenshot that the API scaled down. */
const defaultTokens = 1_600;

/** The API scales down images with a longer side, in pixels. */
const longestSide = 1_568;

/** Base64 characters to read: enough to get past a photo's metadata. */
const headChars = 96_000;

/** Width x height / 750, as documented for the API. Never throws. */
export function imageTokens({ source }: Pick<ImageBlock, "source">): number {
  const size = imageSize({ source });
  if (!size) return defaultTokens;
  const scale = Math.min(1, longestSide / Math.max(size.width, size.height));
  return Math.max(1, Math.ceil((size.width * scale * size.height * scale) / 750));
}

type ImageSize = { width: number; height: number };

/** In pixels; null when the header cannot be read. Never throws. */
export function imageSize({
  source: { media_type, data },
}: Pick<ImageBlock, "source">): ImageSize | null {
  const bytes = decode(data.slice(0, media_type === "image/jpeg" ? headChars : 64));
  const size = bytes && sizeReaders[media_type](bytes);
  if (!size) return null;
  const plausible = [size.width, size.height].every((side) => side > 0 && side < 100_000);
  return plausible ? size : null;
}

function decode(base64: string): string | null {
  try {
    return atob(base64.slice(0, base64.length - (base64.length % 4)));
  } catch {
    return null;
  }
}

const number = (bytes: string, at: number, length: number): number =>
  Array.from({ length }, (_, i) => bytes.charCodeAt(at + i)).reduce((n, b) => n * 256 + b, 0);

const pngSize = (bytes: string): ImageSize | null =>
  bytes.startsWith("\x89PNG")
    ? { width: number(bytes, 16, 4), height: number(bytes, 20, 4) }
    : null;

/** Walks a JPEG's segments to the frame header, which holds the size. */
function jpegSize(bytes: string): ImageSize | null {
  let at = 2;
  while (at + 9 < bytes.length && bytes.charCodeAt(at) === 0xff) {
    const marker = bytes.charCodeAt(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: number(bytes, at + 5, 2), width: number(bytes, at + 7, 2) };
    at += 2 + Math.max(2, number(bytes, at + 2, 2));
  }
  return null;
}

const little = (bytes: string, at: number, length: number): number =>
  Array.from({ length }, (_, i) => bytes.charCodeAt(at + i)).reduceRight((n, b) => n * 256 + b, 0);

const gifSize = (bytes: string): ImageSize | null =>
  bytes.startsWith("GIF8") ? { width: little(bytes, 6, 2), height: little(bytes, 8, 2) } : null;

/** The three formats of a WebP: lossy, lossless and extended. */
function webpSize(bytes: string): ImageSize | null {
  switch (bytes.slice(12, 16)) {
    case "VP8 ":
      return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff };
    case "VP8L": {
      const packed = little(bytes, 21, 4);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: little(bytes, 24, 3) + 1, height: little(bytes, 27, 3) + 1 };
    default:
      return null;
  }
}

const sizeReaders = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": gifSize,
  "image/webp": webpSize,
} as const;
