/** Every request body as a line of JSON, for pricing by other means. */

import {
  buildRequest,
  buildSummaryRequest,
  buildServerRequest,
} from "../../src/context/request.ts";
import { RequestTooLarge } from "../../src/context/rules/window.ts";
import type { View } from "../../src/context/types.ts";
import type { Message, ModelRequest, ModelRules } from "../../src/protocol/model.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import type { Marking } from "./billing.ts";
import type { Sent } from "./policy.ts";

const prompt = "Summarize the conversation.";

/** What is sent for a call, or for a summary, with the marks that the policy's requests carry. */
export function buildApiRequest(sent: Sent, rules: ModelRules, marking: Marking): ModelRequest {
  const request = buildBody(sent, rules);
  if (marking === "ours") return request;
  const last = request.messages.length - 1;
  const messages = request.messages.map((message, at) => (at < last ? unmarked(message) : message));
  return { ...request, messages };
}

function buildBody({ projection, numbers, summary }: Sent, rules: ModelRules): ModelRequest {
  const { view } = projection;
  if (summary === null) return whole(view, rules, numbers);
  const { span, byServer, ownTokens } = summary;
  if (byServer) return buildServerRequest(view, span, rules, numbers, prompt);
  const request = buildSummaryRequest(view, span, rules, numbers, { prompt });
  if (ownTokens === undefined) return request;
  const sent = JSON.stringify(request.messages).slice(0, ownTokens * rules.charsPerToken.prose);
  const words = { type: "text" as const, text: `${prompt}\n${sent}` };
  return { ...request, system: [], tools: [], messages: [{ role: "user", content: [words] }] };
}

/** What does not fit is written down as well: that is what the policy would have sent. */
function whole(view: View, rules: ModelRules, numbers: Policy): ModelRequest {
  try {
    return buildRequest(view, rules, numbers);
  } catch (error) {
    if (!(error instanceof RequestTooLarge)) throw error;
    return buildRequest(view, { ...rules, windowTokens: Number.MAX_SAFE_INTEGER }, numbers);
  }
}

const unmarked = ({ role, content }: Message): Message => ({
  role,
  content: content.map(({ cache_control: _, ...block }) => block),
});
