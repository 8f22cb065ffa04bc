import type { ImageBlock, TextBlock } from "../../protocol/block.ts";
import { imageTypeOf } from "../../tools/files/image.ts";

/** Five megabytes as base64: the API refuses requests with larger images. */
const maxChars = 7 * 1024 * 1024;

/** An image from base64, or a line of text when it cannot be sent. Its declared type is not trusted. */
export function imageOf(data: string): ImageBlock | TextBlock {
  const kind = imageTypeOf(Buffer.from(data.slice(0, 16), "base64"));
  if (kind === null) return asText("[An image was here, in a form that cannot be sent.]");
  if (data.length > maxChars) {
    return asText(`[An image of ${Math.round((data.length * 3) / 4 / 1e6)} MB was here.]`);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return asText("[A damaged image was here.]");
  return { type: "image", source: { type: "base64", media_type: kind, data } };
}

/** An image from a `data:` URL, or a line of text with its location. */
export function imageAt(url: string): ImageBlock | TextBlock {
  const data = /^data:[^,]{0,200};base64,/.exec(url);
  if (data) return imageOf(url.slice(data[0].length));
  return asText(`[An image was here: ${url.slice(0, 200).toWellFormed()}]`);
}

const asText = (text: string): TextBlock => ({ type: "text", text });
