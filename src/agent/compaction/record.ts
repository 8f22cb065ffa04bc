/** The entries that a compaction appends. */

import { callsToPayBack, priceOf } from "../../context/meter/cache.ts";
import type { Plan } from "../../context/types.ts";
import type { Change, CutFact, Fact, Span, SummaryReport, Trigger } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { costOf, type Usage } from "../../protocol/model.ts";
import type { Session } from "../session.ts";
import type { SummaryDraft } from "./summary-calls.ts";

/** A cut; it says when it was made inside a tool loop. */
export function recordCut(
  session: Session,
  cut: Omit<CutFact, "type" | "midLoop">,
): Promise<AgentEvent> {
  const midLoop = session.view.midLoop ? { midLoop: true as const } : {};
  return session.record({ type: "cut", ...cut, ...midLoop });
}

/** The cut that replaces a span with a summary, at its actual price. */
export function recordSummary(
  session: Session,
  { tier, reason }: Plan,
  trigger: Trigger,
  span: Span,
  draft: SummaryDraft,
  text: string,
  summary: SummaryReport,
): Promise<AgentEvent> {
  const { prices } = session.rules;
  const cover: Change =
    draft.by === "server"
      ? { kind: "cover", span, text: draft.text, block: draft.block, kept: text }
      : { kind: "cover", span, text };
  const edit = priceOf(session.signals, [cover]);
  const usd = edit.usd + (draft.usage ? costOf(draft.usage, prices) : 0);
  const breakEvenCalls = callsToPayBack(usd, edit.usedBefore - edit.usedAfter, prices);
  const price = { ...edit, usd, breakEvenCalls };
  return recordCut(session, { tier, reason, changes: [cover], price, trigger, summary });
}

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
