/** From the view to a request: the only way to the model. */

import type { Span } from "../protocol/entry.ts";
import type { CacheMark, Message, ModelRequest, ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { assertValid, InvalidRequest } from "./invariants.ts";
import { headTtl, markMessages } from "./marks.ts";
import { measure } from "./meter.ts";
import { assertFits } from "./too-large.ts";
import type { View } from "./types.ts";

export { InvalidRequest } from "./invariants.ts";
export { RequestTooLarge } from "./too-large.ts";

/** Answers are never given less room than this, even when the estimate says the window is full. */
const leastAnswerTokens = 1_024;

/**
 * The next call. Throws `InvalidRequest` when the view breaks a rule of the API, `RequestTooLarge`
 * when it cannot fit the window.
 */
export function buildRequest(view: View, rules: ModelRules, policy: Policy): ModelRequest {
  assertFits(view, rules, measure(view, rules, policy, view.anchor?.atMs ?? 0));
  const request: ModelRequest = {
    ...frame(view, rules, policy),
    messages: withMarks(view, view.messages, rules, policy),
    maxTokens: roomFor(view, rules, policy),
    purpose: "turn",
  };
  assertValid(request);
  return request;
}

/**
 * The call that writes a summary: the same system, tools and messages up to the end of the span, so
 * that it reads the cache, and `prompt` as the user's last word. No `toolChoice`: another one than
 * the turns have would void the cached messages. `dropOldest` leaves out so many quarters of the
 * oldest messages, for when the request is itself too long.
 */
export function buildSummaryRequest(
  view: View,
  span: Span,
  rules: ModelRules,
  policy: Policy,
  { prompt, dropOldest = 0 }: { prompt: string; dropOldest?: number },
): ModelRequest {
  const all = view.messagesTo(view.indexOf(span.to) ?? view.rows.length - 1);
  const kept = dropOldest === 0 ? all : withoutOldest(all, dropOldest / 4);
  const request: ModelRequest = {
    ...frame(view, rules, policy),
    messages: withLastWord(withMarks(view, kept, rules, policy), prompt),
    maxTokens: Math.max(
      leastAnswerTokens,
      Math.min(policy.summary.outputTokens, rules.outputTokens, roomFor(view, rules, policy)),
    ),
    purpose: "summary",
    // What is left out at the start takes the ground from under all thinking behind it.
    ...(dropOldest > 0 && rules.thinking === "bound" ? { dropStaleThinking: true } : {}),
  };
  assertValid(request);
  return request;
}

/** A word of the user's, since a request ends with one; and what it counts as. */
const probe = { text: "…", tokens: 5 };

/**
 * What a server is asked to count: the view as it stands, however large. `besideTokens` of the count
 * are not the view's own. Throws `InvalidRequest`.
 */
export function buildCountRequest(
  view: View,
  rules: ModelRules,
  policy: Policy,
): { request: ModelRequest; besideTokens: number } {
  const request: ModelRequest = {
    ...frame(view, rules, policy),
    messages: withLastWord(withMarks(view, view.messages, rules, policy), probe.text),
    maxTokens: leastAnswerTokens,
    purpose: "turn",
  };
  assertValid(request);
  return { request, besideTokens: probe.tokens };
}

/** The messages, and `text` as the last that the user says in them. */
function withLastWord(messages: Message[], text: string): Message[] {
  const word = { type: "text" as const, text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [word] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, word] }];
}

/** What stays the same, byte for byte, for a whole session. */
function frame(view: View, rules: ModelRules, policy: Policy) {
  const { session } = view;
  if (!session)
    throw new InvalidRequest("The log does not begin with a session; nothing can be sent.");
  const mark = markOf(rules, { cacheTtl: headTtl(view, policy) });
  return {
    model: view.model,
    system: [
      { type: "text" as const, text: session.system, ...(mark ? { cache_control: mark } : {}) },
    ],
    tools: session.tools.map((tool) => ({ ...tool })),
    thinking: rules.thinking === "none" ? ("off" as const) : ("adaptive" as const),
    dropStaleThinking: view.staleThinking && rules.thinking === "bound",
  };
}

/** One mark at the end of the system prompt covers the tools, which stand before it. */
function markOf(rules: ModelRules, { cacheTtl }: Pick<Policy, "cacheTtl">): CacheMark | null {
  if (!rules.caches) return null;
  return { type: "ephemeral", ...(cacheTtl === "1h" ? { ttl: "1h" as const } : {}) };
}

function withMarks(
  view: View,
  messages: readonly Message[],
  rules: ModelRules,
  policy: Policy,
): Message[] {
  const mark = markOf(rules, policy);
  if (mark) return markMessages(view, messages, mark);
  return messages.map(({ role, content }) => ({ role, content: [...content] }));
}

function roomFor(view: View, rules: ModelRules, policy: Policy): number {
  const { usedTokens, errorTokens } = measure(view, rules, policy, view.anchor?.atMs ?? 0);
  const room = rules.windowTokens - usedTokens - errorTokens;
  return Math.max(
    1,
    Math.min(
      rules.outputTokens,
      Math.max(room, Math.min(leastAnswerTokens, rules.windowTokens / 8)),
    ) | 0,
  );
}

/** Cut at a message of the user's that answers no call, so that nothing is parted. */
function withoutOldest(messages: readonly Message[], share: number): readonly Message[] {
  const from = Math.floor(messages.length * Math.min(share, 0.9));
  const isStart = ({ role, content }: Message): boolean =>
    role === "user" && content.every(({ type }) => type !== "tool_result");
  const start = messages.findIndex((message, index) => index >= from && isStart(message));
  if (start !== -1) return messages.slice(start);
  const answer = messages.findIndex(
    (message, index) => index >= from && message.role === "assistant",
  );
  if (answer === -1) return messages;
  return [
    { role: "user", content: [{ type: "text", text: "(older messages are left out)" }] },
    ...messages.slice(answer),
  ];
}
