/** Chooses what writes a summary: the server, the model, or an extract of the log. */

import { extractUsual } from "../../context/summary/extract.ts";
import { canAskServer } from "../../context/request.ts";
import { fromTheStart, wholeSpans } from "../../context/summary/span.ts";
import type { ModelClient } from "../../model/client.ts";
import type { Clock } from "../../base/clock.ts";
import type { AttemptFact, Span, Trigger } from "../../protocol/entry.ts";
import type { Events } from "../../protocol/event.ts";
import serverPrompt from "../prompts/summary-server.md" with { type: "text" };
import summaryPrompt from "../prompts/summary.md" with { type: "text" };
import type { Session } from "../session.ts";
import { attemptFact } from "./apply-cut.ts";
import {
  writeByServer,
  writeSummary,
  type Failed,
  type SummaryDraft,
  type Stopped,
  type SummaryJob,
} from "./summary-calls.ts";
import { countFailures, isBlocked, isByHand, maxFailures } from "./throttle.ts";

type SummaryRequest = {
  span: Span;
  /** Characters of what it covers, and of the longest summary that is accepted. */
  coveredChars: number;
  maxChars: number;
  trigger: Trigger;
  /** The server's signed summary, which nobody can edit, is acceptable. */
  mayBeSigned: boolean;
  signal: AbortSignal;
  focus?: string | undefined;
  /** Added to the prompt by the preCompact hook. */
  instructions?: string;
};

type SummarizerOptions = { session: Session; model(): ModelClient; clock: Clock };

/**
 * Always returns a draft, unless the signal fires: then what the calls cost. Attempts that failed are recorded,
 * or given to `keep`.
 */
export async function* writeDraft(
  options: SummarizerOptions,
  request: SummaryRequest,
  keep?: (attempt: AttemptFact) => void,
): Events<SummaryDraft | Stopped> {
  const { session } = options;
  const record = async function* (attempt: AttemptFact): Events {
    if (keep) keep(attempt);
    else yield await session.record(attempt);
  };
  const warnings: string[] = [];
  const { view } = session;
  const span = wholeSpans(view, fromTheStart(view, request.span));
  if (mayAsk("server", session, request) && canAskServer(view, span)) {
    const prompt = composePrompt(serverPrompt, request);
    const written = yield* writeByServer(makeJob(options, { ...request, span }, prompt));
    if ("stopped" in written) return written;
    if ("block" in written) return { by: "server", warnings, ...written };
    yield* record(failure("server", session, request, written));
    warnings.push(`The server could not write the summary: ${asSentence(written.failed)}`);
  }
  if (mayAsk("model", session, request)) {
    const prompt = composePrompt(summaryPrompt, request);
    const written = yield* writeSummary(makeJob(options, request, prompt));
    if ("stopped" in written) return written;
    if ("text" in written) return { by: "model", warnings, ...written };
    yield* record(failure("model", session, request, written));
    const isLast = countFailures(session.log.path, "model").count === maxFailures;
    warnings.push(failureWarning(written.failed, isLast));
  }
  const { rules } = session;
  const text = extractUsual(view, request.span, rules, request.coveredChars);
  return { by: "extract", text, cost: {}, warnings };
}

function mayAsk(
  by: "server" | "model",
  { rules, policy, log }: Session,
  { mayBeSigned, trigger }: SummaryRequest,
): boolean {
  const isOwn = !rules.summarizer;
  const supported =
    by === "model"
      ? (isOwn ? rules : rules.summarizer)?.summarizes !== false
      : rules.compacts && isOwn && policy.engine !== "client" && mayBeSigned;
  return supported && (isByHand(trigger) || !isBlocked(log.path, by));
}

function failure(
  by: "server" | "model",
  session: Session,
  { trigger }: SummaryRequest,
  { failed, refused, cost }: Failed,
): AttemptFact {
  const outcome = refused ? "refused" : "failed";
  return attemptFact(session, { outcome, by, trigger, reason: failed, ...cost });
}

const makeJob = (
  { session, model, clock }: SummarizerOptions,
  { span, maxChars, signal }: SummaryRequest,
  prompt: string,
): SummaryJob => {
  const writer = session.rules.summarizer;
  return { session, model: model(), writer, span, prompt, maxChars, clock, signal };
};

const composePrompt = (base: string, { focus, instructions }: SummaryRequest): string =>
  [
    base.trim(),
    focus ? `Above all, keep what is relevant to this: ${focus}` : "",
    instructions?.trim() ?? "",
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .toWellFormed();

const failureWarning = (reason: string, opened: boolean): string =>
  `The summary was built without the model, which failed to write one: ${asSentence(reason)}${
    opened
      ? " After several failures in a row, the model will not be asked again until you compact manually or the conversation has grown by half."
      : ""
  }`;

const asSentence = (reason: string): string => (/[.!?]$/.test(reason) ? reason : `${reason}.`);
