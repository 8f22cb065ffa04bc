/** The user's own messages in a span, which a summary must not lose. */

import { takeEnd, takeStart } from "../../base/clip.ts";
import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";
import { rowsIn, type RowRange } from "../view/rows.ts";

export type UserMessage = { readonly entry: EntryId; readonly text: string };

/** Every user message, oldest first. */
export const listUserMessages = (range: RowRange): UserMessage[] =>
  rowsIn(range)
    .filter(({ entry, wholeChars }) => entry.type === "user" && wholeChars > 0)
    .map(({ entry }) => ({ entry: entry.id, text: textWithPictures(entry) }));

/** Images are only mentioned. */
function textWithPictures(entry: Entry): string {
  if (entry.type !== "user") return "";
  const { content } = entry;
  const pictures = content.filter(({ type }) => type === "image").length;
  return [
    textOf(content).trim(),
    pictures > 0 ? `[with ${pictures} image${pictures > 1 ? "s" : ""}]` : "",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** A clipped message needs at least this much room. */
const minChars = 200;

/**
 * The newest messages that fit into `maxChars` together, oldest first. One message takes at most
 * half of the room; a longer one, most likely pasted text, keeps its head and tail.
 */
export function newestMessages(words: readonly UserMessage[], maxChars: number): UserMessage[] {
  const kept: UserMessage[] = [];
  let left = maxChars;
  for (const { entry, text } of words.toReversed()) {
    const room = Math.min(left, Math.floor(maxChars / 2));
    if (text.length > room && room < minChars) break;
    const shown = text.length > room ? headAndTail(text, room, entry) : text;
    kept.unshift({ entry, text: shown });
    left -= shown.length;
  }
  return kept;
}

function headAndTail(text: string, maxChars: number, entry: EntryId): string {
  const half = Math.floor((maxChars - 60) / 2);
  const missing = text.length - 2 * half;
  return `${takeStart(text, half)}\n[... ${missing} characters cut; full text: recall #${entry} ...]\n${takeEnd(text, half)}`;
}

/** Letters and digits only, so that punctuation, case and line breaks do not matter. */
export const normal = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
