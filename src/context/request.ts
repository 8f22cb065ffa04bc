/** Builds a request from the view: the only way to the model. */

import { spanRange, sumTokens } from "./view/rows.ts";
import { markMessages } from "./rules/marks.ts";
import { summaryOutputTokens } from "./meter/cache.ts";
import { headTtl, measure } from "./meter/meter.ts";
import { assertValid, InvalidRequest } from "./rules/valid.ts";
import { RequestTooLarge, whyTooLarge } from "./rules/window.ts";
import type { MeterReading, View } from "./types.ts";
import { isThinking } from "../protocol/block.ts";
import type { Span } from "../protocol/entry.ts";
import type {
  CacheMark,
  Message,
  ModelRequest,
  ModelRules,
  ToolDefinition,
} from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";

/** The least room for an answer, even if the estimate says that the window is full. */
const minAnswerTokens = 1_024;

/**
 * The next call. Throws `InvalidRequest` when the view breaks a rule of the API, `RequestTooLarge`
 * when it cannot fit a window that no server has refused yet.
 */
export function buildRequest(view: View, rules: ModelRules, policy: Policy): ModelRequest {
  // A server that has refused a request judges the next one, too: its window may have changed.
  const reading = measure(view, rules, policy, 0);
  const tooLarge = view.reportedWindow === null ? whyTooLarge(view, rules, reading) : null;
  if (tooLarge !== null) throw new RequestTooLarge(tooLarge);
  const request: ModelRequest = {
    ...frame(view, view.messages, rules),
    messages: withMarks(view, view.messages, rules, policy),
    maxTokens: roomFor(reading, rules),
    purpose: "turn",
  };
  assertValid(request);
  return request;
}

/**
 * The call that writes a summary: the same system, tools and messages up to the end of the span, so
 * that it reads the cache, and `prompt` as the user's last words. Tools stay allowed, because another
 * choice of tools would invalidate the cached messages. The oldest messages are left out until the
 * summary has enough room; `dropOldest` leaves out more in so many steps, for when the request is
 * itself too long.
 */
export function buildSummaryRequest(
  view: View,
  span: Span,
  own: ModelRules,
  policy: Policy,
  {
    prompt,
    dropOldest = 0,
    writer,
  }: { prompt: string; dropOldest?: number; writer?: ModelRules | undefined },
): ModelRequest {
  const last = spanRange(view, span).to;
  const all = writer ? forAnotherModel(view.messagesTo(last)) : view.messagesTo(last);
  // Another model reads it once, which is not worth writing to its cache.
  const rules = writer ? { ...writer, caches: false } : own;
  const wanted = Math.min(summaryOutputTokens, rules.outputTokens);
  const enough = Math.min(wanted, Math.max(minAnswerTokens, rules.windowTokens / 8));
  const fixedTokens = prompt.length / rules.charsPerToken.prose;
  const keep = (share: number): { kept: readonly Message[]; room: number } => {
    const kept = withoutOldest(all, share);
    const room = summaryRoom(view, last, rules, policy, kept.length / all.length) - fixedTokens;
    return { kept, room };
  };
  const fits = sharesLeftOut.findIndex((share) => keep(share).room >= enough);
  const needed = fits === -1 ? maxLeftOutForRoom : Math.min(fits, maxLeftOutForRoom);
  const { kept, room } = keep(sharesLeftOut[needed + dropOldest] ?? sharesLeftOut.at(-1) ?? 0);
  const marked = withMarks(view, kept, rules, policy);
  const isOpen = writer ? endsWithResults(kept) : endsInLoopWithoutThinking(view, last, kept);
  const drops = !writer && kept.length < all.length && rules.thinking === "bound";
  const request: ModelRequest = {
    ...frame(view, kept, rules),
    ...(writer ? { model: writer.model, dropStaleThinking: false } : {}),
    messages: withLastWords(isOpen ? [...marked, loopEnd] : marked, prompt),
    maxTokens: Math.floor(Math.max(minAnswerTokens, Math.min(wanted, room))),
    purpose: "summary",
    // Leaving out the oldest messages invalidates later thinking.
    ...(drops ? { dropStaleThinking: true } : {}),
  };
  assertValid(request);
  return request;
}

/** Tokens left for a summary of `share` of the messages up to a row. */
function summaryRoom(
  view: View,
  last: number,
  rules: ModelRules,
  policy: Policy,
  share: number,
): number {
  const { usedTokens, errorTokens, breakdown } = measure(view, rules, policy, 0);
  const fixed = breakdown.system + breakdown.tools;
  const after = sumTokens(view, rules, last + 1);
  const messages = Math.max(0, usedTokens - fixed - after) * share;
  return rules.windowTokens - fixed - messages - Math.min(errorTokens, rules.windowTokens / 10);
}

/** A request must end with the user: this text is added for counting, and its tokens. */
const probe = { text: "…", tokens: 5 };

/**
 * The view as a request for counting, however large. `besideTokens` of the count are not the view's
 * own. Throws `InvalidRequest`.
 */
export function buildCountRequest(
  view: View,
  rules: ModelRules,
  policy: Policy,
): { request: ModelRequest; besideTokens: number } {
  const request: ModelRequest = {
    ...frame(view, view.messages, rules),
    messages: withLastWords(withMarks(view, view.messages, rules, policy), probe.text),
    maxTokens: minAnswerTokens,
    purpose: "turn",
  };
  assertValid(request);
  return { request, besideTokens: probe.tokens };
}

/** Ends the loop at the end of the messages, where the API would require its thinking. */
const loopEnd: Message = { role: "assistant", content: [{ type: "text", text: "…" }] };

/** Without content that only its author model can read: thinking is dropped, the server's summary becomes text. */
function forAnotherModel(messages: readonly Message[]): Message[] {
  const readable = messages.map(({ role, content }) => {
    const blocks = content.filter((block) => !isThinking(block) && block.type !== "compaction");
    return { role, content: blocks.length > 0 ? blocks : loopEnd.content };
  });
  const [summary, ...after] = messages[0]?.content ?? [];
  if (summary?.type !== "compaction") return readable;
  const said = { type: "text" as const, text: summary.content || leftOut };
  const [next, ...later] = after.length > 0 ? readable : readable.slice(1);
  if (next?.role === "user") return [{ ...next, content: [said, ...next.content] }, ...later];
  return [{ role: "user", content: [said] }, ...(next ? [next] : []), ...later];
}

/**
 * The messages up to this row end in a tool loop that has lost its thinking: it has ended since, or
 * another model continued it. To the API, results at the end are an open loop, whose thinking it
 * requires.
 */
function endsInLoopWithoutThinking(
  view: View,
  last: number,
  messages: readonly Message[],
): boolean {
  return last < view.thinkingFrom && endsWithResults(messages);
}

const endsWithResults = (messages: readonly Message[]): boolean =>
  messages.at(-1)?.content.some(({ type }) => type === "tool_result") === true;

/** The messages with `text` as the user's last words. */
function withLastWords(messages: Message[], text: string): Message[] {
  const block = { type: "text" as const, text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, block] }];
}

/** The parts that stay the same, byte for byte, for the whole session, and the tools loaded since. */
function frame(view: View, messages: readonly Message[], rules: ModelRules) {
  const { session } = view;
  if (!session)
    throw new InvalidRequest("The log does not start with a session, so nothing can be sent.");
  const mark = makeMark(rules, { cacheTtl: headTtl });
  const loaded = loadedTools(session.tools, messages);
  return {
    model: view.model,
    system: [
      { type: "text" as const, text: session.system, ...(mark ? { cache_control: mark } : {}) },
    ],
    tools: session.tools.map((tool) => ({ ...tool })),
    ...(loaded.length > 0 ? { loadedTools: loaded } : {}),
    thinking: rules.thinking === "none" ? ("off" as const) : ("adaptive" as const),
    ...(rules.effort ? { effort: rules.effort } : {}),
    dropStaleThinking: view.staleThinking && rules.thinking === "bound",
  };
}

/** A tool that is loaded twice keeps its first definition. */
function loadedTools(
  tools: readonly ToolDefinition[],
  messages: readonly Message[],
): ToolDefinition[] {
  const known = new Set(tools.map(({ name }) => name));
  const loaded: ToolDefinition[] = [];
  for (const { content } of messages)
    for (const block of content)
      if (block.type === "tool_result" && block.loads)
        loaded.push(...block.loads.filter(({ name }) => !known.has(name) && known.add(name)));
  return loaded;
}

/** One mark at the end of the system prompt covers the tools, which come before it. */
function makeMark(rules: ModelRules, { cacheTtl }: Pick<Policy, "cacheTtl">): CacheMark | null {
  if (!rules.caches) return null;
  return { type: "ephemeral", ...(cacheTtl === "1h" ? { ttl: "1h" as const } : {}) };
}

function withMarks(
  view: View,
  messages: readonly Message[],
  rules: ModelRules,
  policy: Policy,
): Message[] {
  const mark = makeMark(rules, policy);
  return mark ? markMessages(view, messages, mark) : [...messages];
}

function roomFor({ usedTokens, errorTokens }: MeterReading, rules: ModelRules): number {
  const room = rules.windowTokens - usedTokens - errorTokens;
  return Math.max(
    1,
    Math.min(
      rules.outputTokens,
      Math.max(room, Math.min(minAnswerTokens, rules.windowTokens / 8)),
    ) | 0,
  );
}

/** Shares of the oldest messages that can be left out, in ascending steps. */
const sharesLeftOut = [0, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16, 31 / 32];

/** More is left out only when the server refuses the request: the room is an estimate. */
const maxLeftOutForRoom = 3;

const leftOut = "(older messages are left out)";

/** Starts at a user message without results, so that no call is separated from its result. */
function withoutOldest(messages: readonly Message[], share: number): readonly Message[] {
  if (share === 0) return messages;
  const from = Math.floor(messages.length * share);
  const isStart = ({ role, content }: Message): boolean =>
    role === "user" && content.every(({ type }) => type !== "tool_result");
  const start = messages.findIndex((message, index) => index >= from && isStart(message));
  if (start !== -1) return messages.slice(start);
  const answer = messages.findIndex(
    (message, index) => index >= from && message.role === "assistant",
  );
  // At the start there is nothing to leave out, and the server's own summary must stay first.
  if (answer <= 0) return messages;
  return [{ role: "user", content: [{ type: "text", text: leftOut }] }, ...messages.slice(answer)];
}

/**
 * Whether the server can summarize up to the end of the span. The API asks for the thinking of a loop
 * at the end, and an answer added to end the loop would invalidate the thinking after the summary; so
 * would a message of which only the beginning is summarized.
 */
export function canAskServer(view: View, span: Span): boolean {
  const { to } = spanRange(view, span);
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
  const messages = view.messagesTo(spanRange(view, span).to);
  const request: ModelRequest = {
    ...frame,
    messages: withMarks(view, messages, rules, policy),
    compaction: { instructions },
  };
  assertValid(request);
  return request;
}
