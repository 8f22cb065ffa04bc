import { homedir } from "node:os";
import type { ImageBlock, ImageMediaType } from "../../protocol/block.ts";

/** The API refuses larger images. */
const mostBytes = 5 * 1024 * 1024;

const signatures: [ImageMediaType, (head: string) => boolean][] = [
  ["image/png", (head) => head.startsWith("\x89PNG")],
  ["image/jpeg", (head) => head.startsWith("\xff\xd8\xff")],
  ["image/gif", (head) => head.startsWith("GIF8")],
  ["image/webp", (head) => head.startsWith("RIFF") && head.startsWith("WEBP", 8)],
];

/** The image in a file, judged by its first bytes; null: not one, or too large for the model. */
export async function readImage(path: string): Promise<ImageBlock | null> {
  const file = Bun.file(path.replace(/^~(?=\/)/, homedir()));
  if (!(await file.exists()) || file.size > mostBytes || file.size === 0) return null;
  const bytes = Buffer.from(await file.arrayBuffer());
  const head = bytes.toString("latin1", 0, 16);
  const type = signatures.find(([, matches]) => matches(head))?.[0];
  if (!type) return null;
  return {
    type: "image",
    source: { type: "base64", media_type: type, data: bytes.toString("base64") },
  };
}
