/** The user's own messages in a span, which a summary must not lose. */

import { takeEnd, takeStart } from "../../base/clip.ts";
import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";
import type { UserMessage } from "../view/history.ts";
import type { Row, View } from "../types.ts";
import type { RowRange } from "../view/rows.ts";

/** Every user message, oldest first. The same objects each time. */
export function userMessagesIn(range: RowRange): UserMessage[] {
  const { view } = range;
  return view.history
    .rows("user", range)
    .filter((row) => (view.rows[row]?.wholeChars ?? 0) > 0)
    .map((row) => messageOf(view, row));
}

function messageOf(view: View, row: number): UserMessage {
  const { messages } = view.history;
  let message = messages.get(row);
  if (!message) messages.set(row, (message = new RowMessage(view.rows[row])));
  return message;
}

/** An old message is read from the disk each time, and most texts are not needed. */
class RowMessage implements UserMessage {
  readonly #row: Row | undefined;

  constructor(row: Row | undefined) {
    this.#row = row;
  }

  get entry(): EntryId {
    return this.#row?.entry.id ?? "";
  }

  get text(): string {
    return textWithPictures(this.#row?.entry);
  }
}

/** Images are only mentioned. */
function textWithPictures(entry: Entry | undefined): string {
  if (entry?.type !== "user") return "";
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
