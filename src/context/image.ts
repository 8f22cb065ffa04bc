/** Tokens of an image, from the size in its header. */

import type { ImageBlock } from "../protocol/block.ts";

/** For images of unknown size: about that of a screenshot that the API scaled down. */
const defaultTokens = 1_600;

/** The API scales down images with a longer side, in pixels. */
const longestSide = 1_568;

/** Base64 characters to read: enough to get past a photo's metadata. */
const headChars = 96_000;

/** Width x height / 750, as documented for the API. Never throws. */
export function imageTokens({ source }: ImageBlock): number {
  const size = sizeOf(source.media_type, source.data);
  if (!size) return defaultTokens;
  const scale = Math.min(1, longestSide / Math.max(size.width, size.height));
  return Math.max(1, Math.ceil((size.width * scale * size.height * scale) / 750));
}

type Size = { width: number; height: number };

function sizeOf(type: string, data: string): Size | null {
  const read = type === "image/png" ? pngSize : type === "image/jpeg" ? jpegSize : null;
  const bytes = read && decode(data.slice(0, type === "image/png" ? 32 : headChars));
  const size = bytes && read(bytes);
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

const pngSize = (bytes: string): Size | null =>
  bytes.startsWith("\x89PNG")
    ? { width: number(bytes, 16, 4), height: number(bytes, 20, 4) }
    : null;

/** Walks a JPEG's segments to the frame header, which holds the size. */
function jpegSize(bytes: string): Size | null {
  let at = 2;
  while (at + 9 < bytes.length && bytes.charCodeAt(at) === 0xff) {
    const marker = bytes.charCodeAt(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: number(bytes, at + 5, 2), width: number(bytes, at + 7, 2) };
    at += 2 + Math.max(2, number(bytes, at + 2, 2));
  }
  return null;
}
