import type { Fact } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { Usage } from "../../protocol/model.ts";
import type { Session } from "../session.ts";

/** A summary that is not used, at the meter's reading now; `usage`: what it cost all the same. */
export function recordAttempt(
  session: Session,
  attempt: Omit<Extract<Fact, { type: "attempt" }>, "type" | "usedTokens" | "usage">,
  usage: Usage | null,
): Promise<AgentEvent> {
  const { usedTokens } = session.reading;
  return session.record({
    type: "attempt",
    ...attempt,
    usedTokens,
    ...(usage ? { usage } : {}),
  });
}
