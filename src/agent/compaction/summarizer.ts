/** Has a summary written by the server or by the model; if neither does, `compose.ts` extracts one from the log. */

import { emitted } from "../../base/async-queue.ts";
import type { Clock } from "../../base/clock.ts";
import { buildServerRequest, buildSummaryRequest, canAskServer } from "../../context/request.ts";
import { letterCount, readSummary } from "../../context/summary/read.ts";
import { signedSpan } from "../../context/summary/span.ts";
import type { ModelClient } from "../../model/client.ts";
import { blockText, type CompactionBlock } from "../../protocol/block.ts";
import type { AttemptFact, Entry, Span, Trigger } from "../../protocol/entry.ts";
import type { AgentEvent, Events } from "../../protocol/event.ts";
import {
  addUsage,
  type ModelRequest,
  type Spent,
  spentOn,
  type Usage,
} from "../../protocol/model.ts";
import serverPrompt from "../prompts/summary-server.md" with { type: "text" };
import summaryPrompt from "../prompts/summary.md" with { type: "text" };
import { PartialAnswer, waitToRetry, streamAnswer, type StreamEnd } from "../call.ts";
import type { Session } from "../session.ts";

/** The cost of a summary: calls of the session's model (`usage`) or of another (`spent`). */
export type SummaryCost = { usage?: Usage; spent?: Spent };

/** Every outcome carries what its calls cost, as far as known. */
type Billed = { cost: SummaryCost };
type Failed = Billed & { failed: string; refused: boolean };
type Stopped = Billed & { stopped: true };

/** `span`: the covered span; a server's own summary also covers everything before. */
type Written = { span: Span } & (
  | { by: "extract" }
  | { by: "model"; text: string }
  | { by: "server"; text: string; block: CompactionBlock }
);

export type SummaryDraft = Billed &
  Written & {
    /** Earlier failures that the user should know of. */
    warnings: string[];
  };

export type Summarizer = { session: Session; model: ModelClient; clock: Clock };

type SummaryRequest = {
  span: Span;
  /** Characters of the longest accepted summary. */
  maxChars: number;
  trigger: Trigger;
  signal: AbortSignal;
  focus?: string | undefined;
  /** Added to the prompt by the preCompact hook. */
  instructions?: string;
};

/**
 * Always returns a draft, unless the signal fires: then what the calls cost. Attempts that failed are recorded,
 * or given to `keep`.
 */
export async function* writeDraft(
  summarizer: Summarizer,
  request: SummaryRequest,
  keep?: (attempt: AttemptFact) => void,
): Events<SummaryDraft | Stopped> {
  const { session } = summarizer;
  const { span, trigger } = request;
  const warnings: string[] = [];
  const fail = async function* (by: "server" | "model", { failed, refused, cost }: Failed): Events {
    const outcome = refused ? "refused" : "failed";
    const attempt = attemptFact(session, { outcome, by, trigger, reason: failed, ...cost });
    if (keep) keep(attempt);
    else yield await session.record(attempt);
  };
  for (const by of ["server", "model"] as const) {
    if (!mayAsk(by, session, request)) continue;
    const written = yield* by === "server"
      ? writeByServer(summarizer, request)
      : writeByModel(summarizer, request);
    if (!("failed" in written)) return "stopped" in written ? written : { warnings, ...written };
    yield* fail(by, written);
    warnings.push(failureWarning(by, written.failed, session));
  }
  return { by: "extract", span, cost: {}, warnings };
}

function mayAsk(
  by: "server" | "model",
  { view, rules, policy, log }: Session,
  { span, trigger }: SummaryRequest,
): boolean {
  const supported =
    by === "model"
      ? (rules.summarizer ?? rules).summarizes !== false
      : rules.compacts && !rules.summarizer && policy.engine !== "client";
  if (!supported || (!isByHand(trigger) && isBlocked(log.path, by))) return false;
  return by === "model" || canAskServer(view, signedSpan(view, span));
}

const composePrompt = (base: string, { focus, instructions }: SummaryRequest): string =>
  [
    base.trim(),
    focus ? `Above all, keep what is relevant to this: ${focus}` : "",
    instructions?.trim() ?? "",
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .toWellFormed();

function failureWarning(by: "server" | "model", reason: string, { log }: Session): string {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  if (by === "server") return `The server could not write the summary: ${sentence}`;
  const isLast = countFailures(log.path, "model").count === maxFailures;
  const rest = isLast
    ? " After several failures in a row, the model will not be asked again until you compact manually or the conversation has grown by half."
    : "";
  return `The summary was built without the model, which failed to write one: ${sentence}${rest}`;
}

/** A summary that is not used, or not yet, at the meter's reading now. */
export const attemptFact = (
  { reading: { usedTokens } }: Session,
  attempt: Omit<AttemptFact, "type" | "usedTokens">,
): AttemptFact => ({ type: "attempt", ...attempt, usedTokens });

/** Attempts of one summary. */
const maxAttempts = 3;
/** How often the oldest messages are left out of a request that is too long itself. */
const maxDrops = 3;

/** Asks the model that writes summaries for one of what the session's model sees. */
async function* writeByModel(
  summarizer: Summarizer,
  request: SummaryRequest,
): Events<(Billed & Written) | Failed | Stopped> {
  const { session, clock } = summarizer;
  const { span, maxChars, signal } = request;
  const writer = session.rules.summarizer;
  const prompt = composePrompt(summaryPrompt, request);
  let usage: Usage | null = null;
  let dropOldest = 0;
  let failed = "";
  const cost = (): SummaryCost => {
    if (!usage) return {};
    return writer ? { spent: spentOn(usage, writer) } : { usage };
  };
  for (let attempt = 1; attempt <= maxAttempts && !signal.aborted;) {
    const { view, rules, policy } = session;
    const reply = yield* call(summarizer, signal, () =>
      buildSummaryRequest(view, span, rules, policy, { prompt, dropOldest, writer }),
    );
    if (reply.usage) usage = usage ? addUsage(usage, reply.usage) : reply.usage;
    if ("error" in reply.end) {
      const { error } = reply.end;
      failed = error.message;
      if (error.kind === "too-long" && dropOldest < maxDrops) {
        dropOldest++;
        continue;
      }
      const { hasAnswer: hasAnswered } = session;
      const tries = { attempt, of: maxAttempts, clock, signal, hasAnswered };
      if (!(yield* waitToRetry(error, tries))) break;
      attempt++;
      continue;
    }
    const read = readSummary(blockText(reply.answer.content), reply.end.stop.stop, maxChars);
    if ("text" in read && !signal.aborted)
      return { by: "model", span, text: read.text, cost: cost() };
    failed = "rejected" in read ? `its summary was rejected: ${read.rejected}` : "";
    attempt++;
  }
  return signal.aborted
    ? { stopped: true, cost: cost() }
    : { failed, refused: false, cost: cost() };
}

/** Asks the server for its own signed summary, once: the client's summary is the fallback. */
async function* writeByServer(
  summarizer: Summarizer,
  request: SummaryRequest,
): Events<(Billed & Written) | Failed | Stopped> {
  const { view, rules, policy } = summarizer.session;
  const { maxChars, signal } = request;
  const span = signedSpan(view, request.span);
  const prompt = composePrompt(serverPrompt, request);
  const { answer, end, usage } = yield* call(summarizer, signal, () =>
    buildServerRequest(view, span, rules, policy, prompt),
  );
  const cost = usage ? { usage } : {};
  if (signal.aborted) return { stopped: true, cost };
  if ("error" in end)
    return { failed: end.error.message, refused: end.error.kind === "invalid", cost };
  const block = answer.content.find((block) => block.type === "compaction");
  const text = block?.content?.trim() ?? "";
  if (!block || letterCount(text) === 0)
    return { failed: "it returned no summary", refused: false, cost };
  if (text.length < maxChars) return { by: "server", span, block, text, cost };
  const failed = "its summary is no smaller than what it would replace";
  return { failed, refused: false, cost };
}

type Reply = { usage: Usage | null; answer: PartialAnswer; end: StreamEnd };

/** One call. Returns errors, of the request as well as of the stream. */
async function* call(
  { session, model }: Summarizer,
  signal: AbortSignal,
  build: () => ModelRequest,
): Events<Reply> {
  const answer = new PartialAnswer();
  const end = yield* emitted<AgentEvent, StreamEnd>((emit) =>
    streamAnswer(model, build, answer, signal, ({ kind, text }) => {
      if (kind === "text") emit({ type: "compaction", state: { step: "writing", text } });
    }),
  );
  return { answer, end, usage: "stop" in end ? end.stop.usage : answer.usage(session.rules) };
}

export const isByHand = (trigger: Trigger): boolean =>
  trigger === "key" || trigger === "command" || trigger === "inspector";

/** Failures in a row since the last success or attempt by hand, and where the latest is on the path. */
function countFailures(
  path: readonly Entry[],
  by: "model" | "server",
): { count: number; lastRow: number } {
  let count = 0;
  let lastRow = -1;
  for (let row = path.length - 1; row >= 0; row--) {
    const entry = path[row];
    if (entry?.type === "cut" && entry.summary?.by === by) break;
    if (entry?.type !== "attempt" || entry.by !== by || entry.outcome === "stopped") continue;
    // The summary was written; the user did not want it.
    if (entry.outcome === "declined") break;
    if (lastRow === -1) lastRow = row;
    count = entry.outcome === "refused" ? Number.POSITIVE_INFINITY : count + 1;
    if (isByHand(entry.trigger)) break;
  }
  return { count, lastRow };
}

/** Failures in a row after which summaries are built without a model. */
const maxFailures = 3;

/** The path must have grown by this factor before a model that kept failing is asked again. */
const muchGrowth = 1.5;

/** Circuit breaker: whether `by` should not be asked for a summary, unless by hand. */
function isBlocked(path: readonly Entry[], by: "model" | "server"): boolean {
  const { count, lastRow } = countFailures(path, by);
  if (count === Number.POSITIVE_INFINITY) return true;
  return count >= maxFailures && path.length < (lastRow + 1) * muchGrowth;
}
