import { fileURLToPath } from "node:url";
import { attempt } from "../../base/guards.ts";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { imageMediaTypes, type UserBlock } from "../../protocol/block.ts";

/**
 * What the user sent from an editor, as the agent takes it. A link is named; the agent reads it when
 * it needs to.
 */
export const userBlocks = (prompt: readonly ContentBlock[]): UserBlock[] => prompt.map(userBlock);

function userBlock(block: ContentBlock): UserBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "resource_link":
      return text(`@${pathOf(block.uri)}`);
    case "resource": {
      const { resource } = block;
      const name = pathOf(resource.uri);
      return "text" in resource
        ? text(`<file path="${name}">\n${resource.text}\n</file>`)
        : image(resource.blob, resource.mimeType ?? "");
    }
    default:
      return text(`[A block of type “${block.type}” was left out: it is not supported.]`);
  }
}

const text = (words: string): UserBlock => ({ type: "text", text: words });

function image(data: string, mimeType: string): UserBlock {
  const media_type = imageMediaTypes.find((known) => known === mimeType);
  if (!media_type) return text(`[An attachment of type “${mimeType}” was left out.]`);
  return { type: "image", source: { type: "base64", media_type, data } };
}

const pathOf = (uri: string): string =>
  attempt(() => (uri.startsWith("file://") ? fileURLToPath(uri) : uri), uri);
