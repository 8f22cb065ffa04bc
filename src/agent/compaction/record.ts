/** The entries that a compaction appends. */

import { attemptUsd, callsToPayBack, priceChanges } from "../../context/meter/cache.ts";
import type { Plan } from "../../context/types.ts";
import type {
  AttemptFact,
  Change,
  CutFact,
  EntryOf,
  Span,
  SummaryReport,
  Trigger,
} from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { callCost } from "../../protocol/model.ts";
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

type Used = {
  plan: Plan;
  trigger: Trigger;
  span: Span;
  draft: SummaryDraft;
  text: string;
  report: SummaryReport;
  /** Holds the cost of a summary that was ready. */
  attempt: EntryOf<"attempt"> | null;
};

/** The cut that replaces a span with a summary, at its actual price. */
export function recordSummary(
  session: Session,
  { plan: { tier, reason }, trigger, span, draft, text, report, attempt }: Used,
): Promise<AgentEvent> {
  const { rules } = session;
  const cover: Change =
    draft.by === "server"
      ? { kind: "cover", span, text: draft.text, block: draft.block, kept: text }
      : { kind: "cover", span, text };
  const edit = priceChanges(session.signals, [cover]);
  const { usage, spent } = draft.cost;
  const called = (usage ? callCost(usage, rules.prices) : 0) + (spent?.usd ?? 0);
  const usd = edit.usd + (attempt ? attemptUsd(attempt, rules) : called);
  const breakEvenCalls = callsToPayBack(usd, edit.usedBefore - edit.usedAfter, rules.prices);
  return recordCut(session, {
    tier,
    reason,
    changes: [cover],
    price: { ...edit, usd, breakEvenCalls },
    trigger,
    summary: {
      ...report,
      ...(usage ? { usage } : {}),
      ...(attempt ? { attempt: attempt.id } : {}),
    },
    ...(spent ? { spent } : {}),
  });
}

/** A summary that is not used, or not yet, at the meter's reading now. */
export const attemptFact = (
  { reading: { usedTokens } }: Session,
  attempt: Omit<AttemptFact, "type" | "usedTokens">,
): AttemptFact => ({ type: "attempt", ...attempt, usedTokens });
