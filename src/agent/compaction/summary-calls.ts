/** The calls that write a summary. They are retried while that can help; the answer is checked. */

import { emitted } from "../../base/async-queue.ts";
import { buildSummaryRequest, buildServerRequest } from "../../context/request.ts";
import { letterCount, readSummary } from "../../context/summary/read.ts";
import type { ModelClient } from "../../model/client.ts";
import { blockText, type CompactionBlock } from "../../protocol/block.ts";
import type { Clock } from "../../base/clock.ts";
import type { Span } from "../../protocol/entry.ts";
import type { AgentEvent, Events } from "../../protocol/event.ts";
import {
  addUsage,
  type ModelRequest,
  type ModelRules,
  type Spent,
  spentOn,
  type Usage,
} from "../../protocol/model.ts";
import { PartialAnswer, waitToRetry, streamAnswer, type StreamEnd } from "../call.ts";
import type { Session } from "../session.ts";

/** The cost of a summary: calls of the session's model (`usage`) or of another (`spent`). */
export type SummaryCost = { usage?: Usage; spent?: Spent };

/** `usage`: of calls to the model that writes summaries; null: none was billed. */
function priceCalls(usage: Usage | null, writer: ModelRules | undefined): SummaryCost {
  if (!usage) return {};
  if (!writer) return { usage };
  return { spent: spentOn(usage, writer) };
}

/** Every outcome carries what its calls cost, as far as known. */
type Billed = { cost: SummaryCost };
export type Failed = Billed & { failed: string; refused: boolean };
export type Stopped = Billed & { stopped: true };
type WrittenSummary = (Billed & { text: string }) | Failed | Stopped;
type WrittenByServer = (Billed & { block: CompactionBlock; text: string }) | Failed | Stopped;

export type SummaryDraft = Billed & {
  text: string;
  /** Earlier failures that the user should know of. */
  warnings: string[];
} & ({ by: "model" } | { by: "extract" } | { by: "server"; block: CompactionBlock });

export type SummaryJob = {
  session: Session;
  model: ModelClient;
  /** The model for summaries; absent: the session's. */
  writer?: ModelRules | undefined;
  span: Span;
  prompt: string;
  /** The summary must be shorter than this. */
  maxChars: number;
  clock: Clock;
  signal: AbortSignal;
};

/** Attempts of one summary. */
const maxAttempts = 3;
/** How often the oldest messages are left out of a request that is too long itself. */
const maxDrops = 3;

/** Asks the model that writes summaries for one of what the session's model sees. */
export async function* writeSummary(job: SummaryJob): Events<WrittenSummary> {
  const { session, writer, span, prompt, maxChars, clock, signal } = job;
  let usage: Usage | null = null;
  let dropOldest = 0;
  let failed = "";
  const cost = (): SummaryCost => priceCalls(usage, writer);
  for (let attempt = 1; attempt <= maxAttempts && !signal.aborted;) {
    const { view, rules, policy } = session;
    const reply = yield* call(job, () =>
      buildSummaryRequest(view, span, rules, policy, { prompt, dropOldest, writer }),
    );
    usage = sum(usage, reply.usage);
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
    const read = readSummary(reply.text, reply.end.stop.stop, maxChars);
    if ("text" in read && !signal.aborted) return { text: read.text, cost: cost() };
    failed = "rejected" in read ? `its summary was rejected: ${read.rejected}` : "";
    attempt++;
  }
  return signal.aborted
    ? { stopped: true, cost: cost() }
    : { failed, refused: false, cost: cost() };
}

/** Asks the server for its own signed summary, once: the client's summary is the fallback. */
export async function* writeByServer(job: SummaryJob): Events<WrittenByServer> {
  const { session, span, prompt, maxChars, signal } = job;
  const { view, rules, policy } = session;
  const { answer, end, usage } = yield* call(job, () =>
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
  if (text.length < maxChars) return { block, text, cost };
  const failed = "its summary is no smaller than what it would replace";
  return { failed, refused: false, cost };
}

type Reply = { usage: Usage | null; answer: PartialAnswer; text: string; end: StreamEnd };

/** One call. Returns errors, of the request as well as of the stream. */
async function* call(
  { session, model, signal }: SummaryJob,
  build: () => ModelRequest,
): Events<Reply> {
  const answer = new PartialAnswer();
  const end = yield* emitted<AgentEvent, StreamEnd>((emit) =>
    streamAnswer(model, build, answer, signal, ({ kind, text }) => {
      if (kind === "text") emit({ type: "compaction", state: { step: "writing", text } });
    }),
  );
  const usage = "stop" in end ? end.stop.usage : answer.usage(session.rules);
  return { answer, text: blockText(answer.content), end, usage };
}

const sum = (a: Usage | null, b: Usage | null): Usage | null =>
  a && b ? addUsage(a, b) : (a ?? b);
