/** What servers return, as content of a result: cleaned text, images that the API accepts. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ResultBlock } from "../../protocol/block.ts";
import { imageIn } from "../../tools/files/image.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import { clean, cleanLine } from "./clean.ts";

/** Larger results are cut before they are even stored. */
const textChars = 8_000_000;
const lineChars = 500;

export async function outputOf(result: CallToolResult): Promise<ToolOutput> {
  const blocks = await Promise.all(result.content.map(blockOf));
  const content = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  // Servers repeat structured content as text for clients that do not know it; some forget.
  if (content.length === 0 && result.structuredContent !== undefined)
    // Without indentation, which grows with the depth.
    content.push(text(JSON.stringify(result.structuredContent)));
  if (content.length === 0) content.push(text("(no output)"));
  return { content, ...(result.isError ? { isError: true as const } : {}) };
}

export async function blockOf(block: ContentBlock): Promise<ResultBlock> {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "audio":
      return text(`[Audio (${cleanLine(block.mimeType, lineChars)}) that cannot be shown.]`);
    case "resource":
      return resourceBlock(block.resource);
    case "resource_link": {
      const { uri, name, description = "", mimeType = "" } = block;
      const words = [name, mimeType, description].filter(Boolean).join(", ");
      return text(`[Resource ${cleanLine(uri, lineChars)}: ${cleanLine(words, lineChars)}]`);
    }
  }
}

type ResourceContent = { uri: string; mimeType?: string | undefined } & (
  { text: string } | { blob: string }
);

export async function resourceBlock(resource: ResourceContent): Promise<ResultBlock> {
  const uri = cleanLine(resource.uri, lineChars);
  if ("text" in resource) return text(`[Resource ${uri}]\n${resource.text}`);
  const { blob, mimeType = "" } = resource;
  if (mimeType.startsWith("image/")) return image(blob, mimeType);
  const bytes = Buffer.byteLength(blob, "base64");
  return text(`[Resource ${uri}: ${bytes} bytes of ${cleanLine(mimeType, lineChars) || "data"}]`);
}

const text = (words: string): ResultBlock => ({ type: "text", text: clean(words, textChars) });

/** The bytes decide the type, not what the server says. */
async function image(data: string, mimeType: string): Promise<ResultBlock> {
  // A damaged image is described like one of another type.
  const block = await imageIn(Buffer.from(data, "base64")).catch(() => null);
  return block ?? text(`[Image (${cleanLine(mimeType, lineChars)}) that cannot be shown.]`);
}
