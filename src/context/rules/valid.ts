/** Checks a request by every rule of the API. An invalid one is never sent. */

import type { Message, ModelRequest } from "../../protocol/model.ts";
import { hasContent, isWellFormed } from "./content.ts";
import { fewMarks, marksText } from "./marks.ts";
import { areTogether, listCalls } from "./pairs.ts";

/** A request that the API would refuse. The message names the broken rule. */
export class InvalidRequest extends Error {
  override readonly name: string = "InvalidRequest";
}

/** Throws `InvalidRequest` naming the first broken rule. */
export function assertValid(request: ModelRequest): void {
  const broken =
    startsWithUser(request) ??
    endsWithUser(request) ??
    brokenByMessage(request) ??
    fewMarks(request) ??
    leavesRoom(request);
  if (broken !== null) throw new InvalidRequest(`The request is not valid: ${broken}.`);
}

function leavesRoom({ maxTokens }: ModelRequest): string | null {
  return maxTokens >= 1 ? null : "no room is left for an answer";
}

/** The server's own compaction block comes first and belongs to the assistant. */
function startsWithUser({ messages }: ModelRequest): string | null {
  const first = messages[0];
  if (!first) return "there is no message";
  return first.role === "user" || first.content[0]?.type === "compaction"
    ? null
    : "the first message is not from the user";
}

function endsWithUser({ messages, compaction }: ModelRequest): string | null {
  const last = messages.at(-1);
  const open = listCalls(last);
  if (open.length > 0) return `call ${open[0]} has no result`;
  return compaction || last?.role === "user" ? null : "the last message is not from the user";
}

export const alternates = (
  { role }: Message,
  index: number,
  before: Message | undefined,
): string | null =>
  role === before?.role ? `messages ${index - 1} and ${index} are both from the ${role}` : null;

const summaryFirst = ({ content }: Message, index: number): string | null =>
  content.some(({ type }, at) => type === "compaction" && (index > 0 || at > 0))
    ? `the server's summary in message ${index} is not first`
    : null;

/** Rules of one message, given its index and the message before it; each returns what is wrong, or null. */
const messageRules = [alternates, summaryFirst, hasContent, areTogether, marksText, isWellFormed];

/**
 * Messages that were valid, each with the one before it: nearly all of a request was in the request
 * before, and a message that was handed out never changes.
 */
const valid = new WeakMap<Message, Message | null>();

function brokenByMessage({ messages }: ModelRequest): string | null {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (valid.get(message) === (before ?? null)) continue;
    for (const rule of messageRules) {
      const broken = rule(message, index, before);
      if (broken !== null) return broken;
    }
    valid.set(message, before ?? null);
  }
  return null;
}
