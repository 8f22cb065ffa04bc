/** What is under way and in no entry yet, in tokens, so that the meter moves while it comes. */

import { tokensOfText } from "../../context/meter.ts";
import type { View } from "../../context/types.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { ScreenState } from "../state.ts";

type Live = Pick<ScreenState, "liveChars" | "running">;

/** The answer that grows; charged with what the session has taught about its characters a token. */
export const answerTokens = ({ liveChars }: Live, view: View, rules: ModelRules): number =>
  Math.round(tokensOfText(view, rules, "assistant", liveChars));

/** The answer that grows, and what running tools have printed, as much of it as will be sent. */
export function liveTokens(state: Live, view: View, rules: ModelRules, policy: Policy): number {
  let bytes = 0;
  // Of a larger one only a preview is sent: about so much, at most.
  for (const output of state.running.values()) bytes += Math.min(output.bytes, policy.persistBytes);
  const printed = Math.round(tokensOfText(view, rules, "toolResults", bytes));
  return answerTokens(state, view, rules) + printed;
}
