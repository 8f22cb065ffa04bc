/**
 * A request and its answer must fit into the window. The Messages API refuses a longer one, "prompt is too
 * long", and other servers cut it off without a word.
 *
 * `tiers/forced.ts` cuts what does not fit. Where no cut helps, the call is refused here, with a sentence
 * before it instead of an error after it.
 */

import { sentBy, type ModelRules } from "../../protocol/model.ts";
import { rowCounter } from "../view/rows.ts";
import type { MeterReading, Row, View } from "../types.ts";
import { InvalidRequest } from "./valid.ts";

const limited = new WeakMap<ModelRules, ModelRules>();

/**
 * The rules with the window that the server reported, if that is smaller. If the known window has
 * changed since, the server was restarted or the setting was changed, and the report no longer
 * applies.
 */
export function rulesFor({ reportedWindow }: Pick<View, "reportedWindow">, rules: ModelRules) {
  const { tokens = Infinity, known = null } = reportedWindow ?? {};
  const isOutdated = known !== null && known !== rules.windowTokens;
  if (isOutdated || tokens >= rules.windowTokens) return rules;
  const before = limited.get(rules);
  if (before?.windowTokens === tokens) return before;
  const outputTokens = Math.min(rules.outputTokens, tokens);
  const next: ModelRules = { ...rules, windowTokens: tokens, outputTokens };
  limited.set(rules, next);
  return next;
}

/** Room that an answer needs at least, in tokens. */
const answerRoom = (rules: ModelRules): number =>
  Math.min(rules.outputTokens, Math.max(512, Math.min(8_192, Math.floor(rules.windowTokens / 8))));

/** Tokens by which the next request is too large; 0 or less: it fits. */
export const excess = (reading: MeterReading, rules: ModelRules): number =>
  reading.usedTokens +
  Math.min(reading.errorTokens, rules.windowTokens / 10) +
  answerRoom(rules) -
  rules.windowTokens;

/** Thrown if the request exceeds the window even at the low end of the estimate. */
export class RequestTooLarge extends InvalidRequest {}

/**
 * Says what takes the room of a request that cannot fit, and what to do about it; null: it
 * may fit.
 */
export function whyTooLarge(view: View, rules: ModelRules, reading: MeterReading): string | null {
  if (reading.usedTokens - reading.errorTokens < rules.windowTokens) return null;
  // A request of this size was answered: the count or the window is wrong, so the server decides.
  if (wasAnswered(view, rules)) return null;
  const window = `the window of ${rules.model} holds ${number(rules.windowTokens)}`;
  const fixed = reading.breakdown.system + reading.breakdown.tools;
  if (fixed > rules.windowTokens * 0.8)
    return `The system prompt and the tools alone need about ${number(fixed)} tokens, and ${window}. Choose a model with a larger window, or raise the window setting.`;
  const tokens = rowCounter(view, rules);
  const largest = view.rows.reduce<Row | null>(
    (most, row) => (most && tokens(most) >= tokens(row) ? most : row),
    null,
  );
  if (largest && tokens(largest) > rules.windowTokens / 2) {
    return `${nameRow(largest)} needs about ${number(tokens(largest))} tokens, too much with the rest: ${window}. Rewind to before it, and put what you need into a file instead.`;
  }
  return `The request needs about ${number(reading.usedTokens)} tokens, and ${window}; nothing more can be removed automatically. Unpin or drop large items in the inspector, or start a new session.`;
}

const number = (tokens: number): string => Math.round(tokens).toLocaleString("en-US");

function nameRow({ entry }: Row): string {
  if (entry.type === "user") return `Your message #${entry.id}`;
  return entry.type === "result"
    ? `The result #${entry.id} of ${entry.tool}`
    : `Entry #${entry.id}`;
}

/** A request larger than the window was answered, and the server named no window since. */
function wasAnswered({ anchor, lastUsage, reportedWindow }: View, rules: ModelRules): boolean {
  if (lastUsage === null || reportedWindow !== null || anchor?.model !== rules.model) return false;
  return sentBy(lastUsage) >= rules.windowTokens;
}
