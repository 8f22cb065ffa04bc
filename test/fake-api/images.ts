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

/** Throws a `Refusal` when the bytes are not a complete image of the stated type. Only of PNG the size is known. */
function longestSide(bytes: Buffer, named: string, path: string): number {
  const start = bytes.subarray(0, 16).toString("latin1");
  const [type] = Object.entries(magic).find(([, pattern]) => pattern.test(start)) ?? [];
  const isPng = type === "image/png";
  if (type === undefined || (isPng && (bytes.length <= 24 || !bytes.includes("IEND"))))
    throw invalid("Could not process image");
  if (type !== named)
    throw invalid(
      `${path}: The image was specified using the ${named} media type, but the image appears to be a ${type} image`,
    );
  return isPng ? Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) : 1;
}

const magic = {
  "image/png": /^\x89PNG\r\n/,
  "image/gif": /^GIF8[79]a/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/webp": /^RIFF[^]{4}WEBP/,
};
