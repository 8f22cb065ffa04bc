import summaryPrompt from "../../agent/prompts/summary.md" with { type: "text" };
import { buildSummaryRequest } from "../../context/request.ts";
import { rangeOf } from "../../context/view/rows.ts";
import { composeSummary, summaryLimits } from "../../context/summary/compose.ts";
import { extractSummary } from "../../context/summary/extract.ts";
import { readSummary } from "../../context/summary/read.ts";
import type { Signals } from "../../context/types.ts";
import type { Span } from "../../protocol/entry.ts";
import type { ModelRequest } from "../../protocol/model.ts";

/** The summary of a span: written by the caller's model, or else built from the messages. */
export async function summaryOf(
  { view, rules, policy }: Signals,
  span: Span,
  summarize: ((request: ModelRequest) => Promise<string>) | undefined,
): Promise<string> {
  const { maxChars } = summaryLimits(view, span, rules, policy);
  const prompt = summaryPrompt.trim();
  const answer = await summarize?.(buildSummaryRequest(view, span, rules, policy, { prompt }));
  const read = answer === undefined ? null : readSummary(answer, "end_turn", maxChars);
  const written = read && "text" in read ? read.text : null;
  return composeSummary({
    view,
    span,
    summary: written ?? extractSummary(rangeOf(view, span)),
    by: written === null ? "extract" : "model",
    files: [],
    rules,
    policy,
    maxChars,
  }).text;
}
