/** What the API checks of images: their bytes, their size in pixels, and how many there are. */

import { invalid } from "./refusal.ts";
import { toBlocks, type ApiBlock, type ApiMessage } from "./schema.ts";
import type { FakeModel } from "./models.ts";

type ApiImage = Extract<ApiBlock, { type: "image" }>;
type Placed = { image: ApiImage; path: string };

const maxBytes = 5 * 1024 * 1024;
const maxSide = 8_000;
const manyImages = 20;
const maxSideOfMany = 2_000;

export function checkImages(messages: readonly ApiMessage[], model: FakeModel): void {
  const images = messages.flatMap(findImages);
  const most = model.windowTokens > 200_000 ? 600 : 100;
  if (images.length > most)
    throw invalid(`messages: Too much media: 0 document pages + ${images.length} images > ${most}`);
  for (const { image, path } of images) {
    const { data } = image.source;
    if (data.length > maxBytes)
      throw invalid(
        `${path}: image exceeds 5 MB maximum: ${data.length} bytes > ${maxBytes} bytes`,
      );
    const side = longestSide(Buffer.from(data, "base64"), image.source.media_type, path);
    if (side > maxSide)
      throw invalid(
        `${path}: At least one of the image dimensions exceed max allowed size: ${maxSide} pixels`,
      );
    if (images.length > manyImages && side > maxSideOfMany)
      throw invalid(
        `${path}: At least one of the image dimensions exceed max allowed size for many-image requests: ${maxSideOfMany} pixels`,
      );
  }
}

function findImages(message: ApiMessage, index: number): Placed[] {
  return toBlocks(message).flatMap((block, at) => {
    const path = `messages.${index}.content.${at}`;
    if (block.type === "image") return [{ image: block, path: `${path}.image.source.base64.data` }];
    if (block.type !== "tool_result" || typeof block.content !== "object") return [];
    return block.content.flatMap((inner, n) =>
      inner.type === "image"
        ? [{ image: inner, path: `${path}.tool_result.content.${n}.image.source.base64.data` }]
        : [],
    );
  });
}

/** Throws a `Refusal` when the bytes are not a complete image of the stated type. */
function longestSide(bytes: Buffer, named: string, path: string): number {
  const kind = kinds.find(({ magic }) => bytes.subarray(0, 16).toString("latin1").match(magic));
  if (!kind || !kind.isWhole(bytes)) throw invalid("Could not process image");
  if (kind.type !== named)
    throw invalid(
      `${path}: The image was specified using the ${named} media type, but the image appears to be a ${kind.type} image`,
    );
  return Math.max(...kind.size(bytes));
}

const kinds = [
  {
    type: "image/png",
    magic: /^\x89PNG\r\n/,
    isWhole: (bytes: Buffer) => bytes.length > 24 && bytes.includes("IEND"),
    size: (bytes: Buffer) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
  },
  {
    type: "image/gif",
    magic: /^GIF8[79]a/,
    isWhole: (bytes: Buffer) => bytes.length > 13 && bytes.at(-1) === 0x3b,
    size: (bytes: Buffer) => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)],
  },
  {
    type: "image/jpeg",
    magic: /^\xff\xd8\xff/,
    isWhole: (bytes: Buffer) => bytes.includes(Buffer.from([0xff, 0xd9])),
    size: jpegSize,
  },
  {
    type: "image/webp",
    magic: /^RIFF[^]{4}WEBP/,
    isWhole: (bytes: Buffer) => bytes.length >= bytes.readUInt32LE(4) + 8,
    size: () => [1, 1],
  },
];

function jpegSize(bytes: Buffer): number[] {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
  }
  throw invalid("Could not process image");
}
