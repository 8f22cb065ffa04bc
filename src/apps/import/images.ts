import type { ImageBlock, ImageMediaType, TextBlock } from "../../protocol/block.ts";

/** Five megabytes as base64: the API refuses requests with larger images. */
const maxChars = 7 * 1024 * 1024;

/** How each format begins, as base64. The declared format is not trusted. */
const starts: [start: string, kind: ImageMediaType][] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** An image from base64, or a line of text when it cannot be sent. */
export function imageOf(data: string): ImageBlock | TextBlock {
  const kind = starts.find(([start]) => data.startsWith(start))?.[1];
  if (kind === undefined) return asText("[An image was here, in a form that cannot be sent.]");
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
