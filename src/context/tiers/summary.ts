import type { Span } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { counted } from "../../protocol/in-words.ts";
import { isWorthSummary } from "../fit.ts";
import { rangeOf } from "../row-range.ts";
import { spanBeforeTurns } from "../span.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Fewer messages are not worth a summary. */
const minMessages = 4;

/** Tier 4: a summary replaces everything before the newest turns. */
export function summary(view: View, now: Signals, policy: Policy): Plan | null {
  const { utilization } = now.reading;
  if (utilization <= policy.summaryAt || !hasMessages(view, minMessages)) return null;
  const span = spanBeforeTurns(view, policy.summary.keepTurns, now.tokensOf);
  if (!span || !isWorthSummary(view, now, span)) return null;
  return summaryPlanOf(view, now, span, `${Math.round(utilization * 100)} % used`);
}

export function summaryPlanOf(view: View, now: Signals, span: Span, why: string): Plan {
  const { from, to } = rangeOf(view, span);
  const messages = view.messagesBetween(from, to);
  const action = `summarize ${counted(messages, "message")}`;
  const price = now.priceOfSummary(span);
  return { tier: "summary", action, reason: `${action}: ${why}`, summarize: span, price };
}

/**
 * Whether the rows make at least `least` messages. Building them all to count them would cost far
 * more.
 */
function hasMessages({ rows, after }: View, least: number): boolean {
  let count = 0;
  let last: "user" | "assistant" | null = null;
  for (let index = 0; index < rows.length; index = after(index)) {
    const row = rows[index];
    if (!row || row.shown === "unsent" || (row.shown === "covered" && row.chars === 0)) continue;
    const isAnswer = row.shown !== "covered" && row.entry.type === "assistant";
    const role = isAnswer ? "assistant" : "user";
    if (role !== last) count++;
    last = role;
    if (count >= least) return true;
  }
  return false;
}
