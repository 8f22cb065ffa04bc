/** The request for the server's own compaction. */

import type { Span } from "../../protocol/entry.ts";
import type { ModelRequest, ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { assertValid } from "../rules/valid.ts";
import { rangeOf } from "../view/rows.ts";
import { buildSummaryRequest, endsInLoopWithoutThinking, withMarks } from "../request.ts";
import type { View } from "../types.ts";

/**
 * Whether the server can summarize up to the end of the span. The API asks for the thinking of a loop
 * at the end, and an answer added to end the loop would invalidate the thinking after the summary; so
 * would a message of which only the beginning is summarized.
 */
export function canAskServer(view: View, span: Span): boolean {
  const { to } = rangeOf(view, span);
  const messages = view.messagesTo(to);
  const whole = view.messages[messages.length - 1];
  const endsWhole = whole?.content.length === messages.at(-1)?.content.length;
  return endsWhole && !endsInLoopWithoutThinking(view, to, messages);
}

/**
 * Asks the server to summarize every message up to the end of the span, with the same system, tools
 * and messages, so that it reads the cache. Later messages are left out, because the server would
 * summarize them too. Throws `InvalidRequest` if the request breaks a rule of the API.
 */
export function buildServerRequest(
  view: View,
  span: Span,
  rules: ModelRules,
  policy: Policy,
  instructions: string,
): ModelRequest {
  const frame = buildSummaryRequest(view, span, rules, policy, { prompt: instructions });
  const messages = view.messagesTo(rangeOf(view, span).to);
  const request: ModelRequest = {
    ...frame,
    messages: withMarks(view, messages, rules, policy),
    compaction: { instructions },
  };
  assertValid(request);
  return request;
}
