import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import type { ImageBlock, ImageMediaType } from "../../protocol/block.ts";

/** The API accepts 5 MB of base64, which holds three quarters of that. */
const maxBytes = (5 * 1024 * 1024 * 3) / 4;

const signatures: [ImageMediaType, (head: string) => boolean][] = [
  ["image/png", (head) => head.startsWith("\x89PNG")],
  ["image/jpeg", (head) => head.startsWith("\xff\xd8\xff")],
  ["image/gif", (head) => head.startsWith("GIF8")],
  ["image/webp", (head) => head.startsWith("RIFF") && head.startsWith("WEBP", 8)],
];

/** The image in a file, by its first bytes. Null: not an image, unreadable, or too large to send. */
export async function readImage(path: string): Promise<ImageBlock | null> {
  const bytes = await readSmall(path.replace(/^~(?=\/)/, homedir())).catch(() => null);
  if (bytes === null) return null;
  const head = bytes.toString("latin1", 0, 16);
  const type = signatures.find(([, matches]) => matches(head))?.[0];
  if (!type) return null;
  return {
    type: "image",
    source: { type: "base64", media_type: type, data: bytes.toString("base64") },
  };
}

/** Never opens a pipe or a device, which could block for ever. */
async function readSmall(file: string): Promise<Buffer | null> {
  const info = await stat(file);
  return info.isFile() && info.size <= maxBytes ? readFile(file) : null;
}
