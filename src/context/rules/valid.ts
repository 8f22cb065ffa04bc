/** Checks a request by every rule of the API. An invalid one is never sent. */

import type { Message, ModelRequest } from "../../protocol/model.ts";
import { hasContent, isWellFormed } from "./content.ts";
import { fewMarks, marksText } from "./marks.ts";
import { areTogether } from "./pairs.ts";
import { alternates, endsWithUser, startsWithUser, summaryFirst } from "./roles.ts";

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
