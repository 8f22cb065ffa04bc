/** Tokens of output in progress, which is in no entry yet: the meter moves with them. */

import { tokensOfText } from "../../context/meter.ts";
import type { View } from "../../context/types.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { ScreenState } from "../state.ts";

type Live = Pick<ScreenState, "liveChars" | "running">;

/** The answer that is being streamed, by the session's own characters per token. */
export const answerTokens = ({ liveChars }: Live, view: View, rules: ModelRules): number =>
  Math.round(tokensOfText(view, rules, "assistant", liveChars));

/** The answer that is being streamed, and the output of running tools, as much of it as will be sent. */
export function liveTokens(state: Live, view: View, rules: ModelRules, policy: Policy): number {
  let bytes = 0;
  // Only a preview of larger outputs is sent, of about this size.
  for (const output of state.running.values()) bytes += Math.min(output.bytes, policy.persistBytes);
  const printed = Math.round(tokensOfText(view, rules, "toolResults", bytes));
  return answerTokens(state, view, rules) + printed;
}
