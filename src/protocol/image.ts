/** The size of an image, in pixels and in tokens. */

import type { ImageBlock } from "./block.ts";

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
