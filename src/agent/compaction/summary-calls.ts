/** The calls that write a summary. They are retried while that can help; the answer is checked. */

import { buildSummaryRequest } from "../../context/request.ts";
import { readSummary } from "../../context/summary/read.ts";
import { buildServerRequest } from "../../context/summary/server.ts";
import type { ModelClient } from "../../model/client.ts";
import { textOf, type CompactionBlock } from "../../protocol/block.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { Span } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { ModelRequest, Stop, Usage } from "../../protocol/model.ts";
import { PartialAnswer } from "../partial-answer.ts";
import { waitToRetry } from "../retry.ts";
import type { Session } from "../session.ts";
import { streamAnswer, type CallError } from "../stream-answer.ts";

export type Failed = { failed: string };
export type Stopped = { stopped: true };
export type Written = { text: string; usage: Usage } | Failed | Stopped;
export type WrittenByServer =
  { block: CompactionBlock; text: string; usage: Usage } | Failed | Stopped;

export type SummaryJob = {
  session: Session;
  model: ModelClient;
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

/** Asks the model for a summary of what it sees. */
export async function* writeSummary(job: SummaryJob): AsyncGenerator<AgentEvent, Written> {
  const { session, span, prompt, maxChars, clock, signal } = job;
  let dropOldest = 0;
  let failed = "";
  for (let attempt = 1; attempt <= maxAttempts;) {
    const { view, rules, policy } = session;
    const reply = yield* call(job, () =>
      buildSummaryRequest(view, span, rules, policy, { prompt, dropOldest }),
    );
    if ("stopped" in reply) return reply;
    if ("error" in reply) {
      const { error } = reply;
      failed = error.message;
      if (error.kind === "too-long" && dropOldest < maxDrops) {
        dropOldest++;
        continue;
      }
      if (!(yield* waitToRetry(error, { attempt, of: maxAttempts, clock, signal }))) break;
      attempt++;
      continue;
    }
    const read = readSummary(textOf(reply.answer.content), reply.stop, maxChars);
    if ("text" in read) return { text: read.text, usage: reply.usage };
    failed = `its summary was rejected: ${read.rejected}`;
    attempt++;
  }
  return signal.aborted ? { stopped: true } : { failed };
}

/** Asks the server for its own signed summary, once: the client's summary is the fallback. */
export async function* writeByServer(job: SummaryJob): AsyncGenerator<AgentEvent, WrittenByServer> {
  const { session, span, prompt, maxChars } = job;
  const { view, rules, policy } = session;
  const reply = yield* call(job, () => buildServerRequest(view, span, rules, policy, prompt));
  if ("stopped" in reply) return reply;
  if ("error" in reply) return { failed: reply.error.message };
  const block = reply.answer.content.find((one) => one.type === "compaction");
  const text = block?.content?.trim() ?? "";
  if (!block || text === "") return { failed: "it returned no summary" };
  if (text.length >= maxChars)
    return { failed: "its summary is no smaller than what it would replace" };
  return { block, text, usage: reply.usage };
}

type Reply = { answer: PartialAnswer; stop: Stop; usage: Usage } | { error: CallError } | Stopped;

/** One call. Returns errors, of the request as well as of the stream. */
async function* call(
  { model, signal }: SummaryJob,
  build: () => ModelRequest,
): AsyncGenerator<AgentEvent, Reply> {
  const answer = new PartialAnswer();
  const stream = streamAnswer(model, build, answer, signal);
  for (;;) {
    const step = await stream.next();
    if (!step.done) {
      const { kind, text } = step.value;
      if (kind === "text") yield { type: "compaction", state: { step: "writing", text } };
    } else if (signal.aborted) return { stopped: true };
    else if ("error" in step.value) return step.value;
    else return { answer, stop: step.value.stop.stop, usage: step.value.stop.usage };
  }
}
