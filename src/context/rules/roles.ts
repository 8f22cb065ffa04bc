/**
 * Whose turn it is. The Messages API wants roles to alternate, from the user to the user, and a
 * server's own summary before everything else.
 *
 * Every cut keeps this: `view/messages.ts` joins what would be two messages of one role.
 */

import type { Message, ModelRequest } from "../../protocol/model.ts";
import { listCalls } from "./pairs.ts";

/** The server's own compaction block comes first and belongs to the assistant. */
export function startsWithUser({ messages }: ModelRequest): string | null {
  const first = messages[0];
  if (!first) return "there is no message";
  return first.role === "user" || first.content[0]?.type === "compaction"
    ? null
    : "the first message is not from the user";
}

export function endsWithUser({ messages, compaction }: ModelRequest): string | null {
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

export const summaryFirst = ({ content }: Message, index: number): string | null =>
  content.some(({ type }, at) => type === "compaction" && (index > 0 || at > 0))
    ? `the server's summary in message ${index} is not first`
    : null;
