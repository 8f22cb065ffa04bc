/**
 * The content of messages. The Messages API refuses messages without content, of thinking alone, or with
 * empty text; half a surrogate pair; and ids and names outside its alphabet.
 *
 * A cut never leaves an empty message: `view/blocks.ts` leaves out what is empty. Malformed text and ids
 * are replaced as they are sent; the log keeps them.
 */

import { isThinking, type Block } from "../../protocol/block.ts";
import type { Message } from "../../protocol/model.ts";
import { wellFormed } from "../view/well-formed.ts";

export function hasContent({ content }: Message, index: number): string | null {
  if (content.length === 0) return `message ${index} is empty`;
  if (content.every(isThinking)) return `message ${index} contains nothing but thinking`;
  return content.some(holdsEmptyText) ? `message ${index} contains empty text` : null;
}

function holdsEmptyText(block: Block): boolean {
  if (block.type === "tool_result") return block.content.some(holdsEmptyText);
  return block.type === "text" && block.text.trim() === "";
}

/** Half a character, or an id outside the API's alphabet. */
export const isWellFormed = ({ content }: Message, index: number): string | null =>
  content.some((block) => wellFormed(block) !== block) ? `message ${index} is malformed` : null;
