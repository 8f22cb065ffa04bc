/** Images in a form that the API accepts: complete, and neither too wide nor too large. */

import { errorCode } from "../../base/guards.ts";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import type { ImageBlock, ImageMediaType } from "../../protocol/block.ts";
import { bytesOfRegular } from "../../base/regular-file.ts";
import { ToolError } from "../tool.ts";

/** The longest side that is accepted in a request with more than 20 images, in pixels. */
const maxSide = 2_000;

/** The API accepts 5 MB of base64, which holds three quarters of that. */
const maxBytes = (5 * 1024 * 1024 * 3) / 4;

/** More pixels take too much memory to decode; a file of a few kilobytes can claim them. */
const maxPixels = 50_000_000;

/** A larger file is not opened as an image. */
const maxFileBytes = 64 * 1024 * 1024;

const mediaTypes: readonly [ImageMediaType, RegExp][] = [
  ["image/png", /^\x89PNG\r\n\cZ\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/** The type that the first bytes of a file claim; null: not an image. */
export function detectImageType(bytes: Uint8Array): ImageMediaType | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return mediaTypes.find(([, signature]) => signature.test(start))?.[0] ?? null;
}

type Image = {
  block: ImageBlock;
  /** Size of the image that is sent, in pixels. */
  width: number;
  height: number;
  /** Size in the file, if the image was shrunk. */
  shrunkFrom?: { width: number; height: number };
};

/** Decodes an image, and shrinks one that is too large. Throws `ToolError` for a damaged one. */
export async function decodeImage(bytes: Uint8Array, type: ImageMediaType): Promise<Image> {
  try {
    const { width, height } = await decoder(bytes).metadata();
    const longest = Math.max(width, height);
    if (longest <= maxSide && bytes.length <= maxBytes && isIntact(bytes, type)) {
      // Damage shows only when the pixels are decoded.
      await decoder(bytes).resize(1, 1).png().bytes();
      return { block: toBlock(bytes, type), width, height };
    }
    for (let side = Math.min(longest, maxSide); side >= 1; side = Math.floor(side / 2)) {
      const smaller = await resized(bytes, type, side);
      if (smaller.bytes.length > maxBytes) continue;
      const block = toBlock(smaller.bytes, smaller.type);
      const size = { width: smaller.width, height: smaller.height };
      return { block, ...size, ...(longest > side && { shrunkFrom: { width, height } }) };
    }
    // Its color profile is kept, however large.
    throw new ToolError("The image cannot be made small enough to send.");
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(explainFailure(error));
  }
}

/** A copy whose sides are at most `side` pixels; null when it would not be smaller. Never throws. */
export async function shrinkImage(
  { source }: ImageBlock,
  side: number,
): Promise<ImageBlock | null> {
  try {
    const smaller = await resized(Buffer.from(source.data, "base64"), source.media_type, side);
    const block = toBlock(smaller.bytes, smaller.type);
    return block.source.data.length < source.data.length ? block : null;
  } catch {
    return null;
  }
}

/**
 * The image that the bytes contain; null when they are not an image. Throws `ToolError` for a
 * damaged one.
 */
export async function readImage(bytes: Uint8Array): Promise<ImageBlock | null> {
  const type = detectImageType(bytes);
  return type && (await decodeImage(bytes, type)).block;
}

/** The image in a file; null when there is none that can be sent. Never waits for a pipe. */
export async function imageInFile(path: string): Promise<ImageBlock | null> {
  const real = await realpath(path.replace(/^~(?=\/)/, homedir())).catch(() => null);
  const bytes = real === null ? null : await bytesOfRegular(real, maxFileBytes);
  return bytes && readImage(bytes).catch(() => null);
}

const decoder = (bytes: Uint8Array): Bun.Image => new Bun.Image(bytes, { maxPixels });

/** A JPEG whose end marker is missing decodes, but is refused by the API. */
const isIntact = (bytes: Uint8Array, type: ImageMediaType): boolean =>
  type !== "image/jpeg" || Buffer.from(bytes.subarray(-1024)).includes("\xff\xd9", 0, "latin1");

async function resized(bytes: Uint8Array, type: ImageMediaType, side: number) {
  const fitted = decoder(bytes).resize(side, side, { fit: "inside", withoutEnlargement: true });
  const isPhoto = type === "image/jpeg";
  const encoded = await (isPhoto ? fitted.jpeg({ quality: 85 }) : fitted.png()).bytes();
  const { width, height } = await decoder(encoded).metadata();
  return { bytes: encoded, type: isPhoto ? type : "image/png", width, height } as const;
}

function toBlock(bytes: Uint8Array, type: ImageMediaType): ImageBlock {
  const data = Buffer.from(bytes).toString("base64");
  return { type: "image", source: { type: "base64", media_type: type, data } };
}

function explainFailure(error: unknown): string {
  return errorCode(error) === "ERR_IMAGE_TOO_MANY_PIXELS"
    ? `The image has more than ${maxPixels / 1_000_000} million pixels; make a smaller copy first.`
    : "The image is damaged or incomplete and cannot be decoded.";
}
