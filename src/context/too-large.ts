/** The refusal when no cut helps: a sentence before the call instead of an error after it. */

import type { ModelRules } from "../protocol/model.ts";
import { InvalidRequest } from "./rules/valid.ts";
import { tokensOf } from "./meter/meter.ts";
import type { MeterReading, Row, View } from "./types.ts";

/** The request is larger than the window, even at the low end of the estimate. */
export class RequestTooLarge extends InvalidRequest {}

/**
 * What takes the room of a request that cannot fit, and what to do about it, in a sentence; null: it
 * may fit.
 */
export function whyTooLarge(view: View, rules: ModelRules, reading: MeterReading): string | null {
  if (reading.usedTokens - reading.errorTokens < rules.windowTokens) return null;
  const window = `the window of ${rules.model} holds ${number(rules.windowTokens)}`;
  const fixed = reading.breakdown.system + reading.breakdown.tools;
  if (fixed > rules.windowTokens * 0.8)
    return `The system prompt and the tools alone need about ${number(fixed)} tokens, and ${window}. Choose a model with a larger window, or raise the window setting.`;
  const tokens = tokensOf(view, rules);
  const largest = view.rows.reduce<Row | null>(
    (most, row) => (most && tokens(most) >= tokens(row) ? most : row),
    null,
  );
  if (largest && tokens(largest) > rules.windowTokens / 2) {
    const alone = tokens(largest) + fixed >= rules.windowTokens;
    const why = alone ? "more than can be sent" : "too much together with the rest";
    return `${nameOf(largest)} needs about ${number(tokens(largest))} tokens, ${why}: ${window}. Rewind to before it, and put what you need into a file instead.`;
  }
  return `The request needs about ${number(reading.usedTokens)} tokens, and ${window}; nothing more can be cut automatically. Unpin or drop large items in the inspector, or start a new session.`;
}

const number = (tokens: number): string => Math.round(tokens).toLocaleString("en-US");

function nameOf({ entry }: Row): string {
  if (entry.type === "user") return `Your message #${entry.id}`;
  return entry.type === "result"
    ? `The result #${entry.id} of ${entry.tool}`
    : `Entry #${entry.id}`;
}
