import type { Policy } from "../../protocol/policy.ts";
import { isWorthSummary } from "../fit.ts";
import { spanBeforeTurns } from "../span.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Fewer messages than this are not worth a summary. */
const fewestMessages = 4;

/** Tier 4: everything before the newest turns gives way to a summary. */
export function summary(view: View, now: Signals, policy: Policy): Plan | null {
  const { utilisation } = now.reading;
  if (utilisation <= policy.summaryAt || view.messages.length < fewestMessages) return null;
  const span = spanBeforeTurns(view, policy.summary.keepTurns, now.tokensOf);
  if (!span || !isWorthSummary(view, now, span)) return null;
  const reason = `${Math.round(utilisation * 100)} % used`;
  return { tier: "summary", reason, summarise: span, price: now.priceOfSummary(span) };
}
