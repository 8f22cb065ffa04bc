/** The calls that write a summary: tried again where that can help, never trusted blindly. */

import { buildSummaryRequest } from "../../context/request.ts";
import { readSummary } from "../../context/summary/read.ts";
import { buildServerRequest } from "../../context/summary/server.ts";
import type { ModelClient } from "../../model/client.ts";
import type { ModelError } from "../../model/model-error.ts";
import { textOf, type CompactionBlock } from "../../protocol/block.ts";
import type { Span } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { ModelRequest, Stop, Usage } from "../../protocol/model.ts";
import { PartialAnswer } from "../partial-answer.ts";
import { isModelError } from "../call.ts";
import type { Clock } from "../clock.ts";
import { retryDelayMs } from "../retry.ts";
import type { Session } from "../session.ts";

export type Failed = { failed: string };
export type Stopped = { stopped: true };
export type Written = { text: string; usage: Usage } | Failed | Stopped;
export type WrittenByServer =
  { block: CompactionBlock; text: string; usage: Usage } | Failed | Stopped;

export type SummaryJob = {
  session: Session;
  model: ModelClient;
  span: Span;
  /** What is asked for. */
  prompt: string;
  /** The answer must be shorter, in characters. */
  replacesChars: number;
  /** Absent: the next try follows at once. */
  clock: Clock | undefined;
  signal: AbortSignal;
};

/** Tries of one summary. */
const mostTries = 3;
/** How often a request that is itself too long loses its oldest messages. */
const mostDrops = 3;

/** Asks the model for a summary of what it sees. */
export async function* writeSummary(job: SummaryJob): AsyncGenerator<AgentEvent, Written> {
  const { session, span, prompt, replacesChars } = job;
  let dropOldest = 0;
  let failed = "";
  for (let attempt = 1; attempt <= mostTries;) {
    const { view, rules, policy } = session;
    const heard = yield* listen(job, () =>
      buildSummaryRequest(view, span, rules, policy, { prompt, dropOldest }),
    );
    if ("stopped" in heard) return heard;
    if ("error" in heard) {
      failed = heard.error.message;
      if (heard.error.kind === "too-long" && dropOldest < mostDrops) {
        dropOldest++;
        continue;
      }
      if (!(yield* waited(job, heard.error, attempt++))) break;
      continue;
    }
    const read = readSummary(textOf(heard.answer.content), heard.stop, replacesChars);
    if ("text" in read) return { text: read.text, usage: heard.usage };
    failed = `its summary was rejected: ${read.rejected}`;
    attempt++;
  }
  return job.signal.aborted ? { stopped: true } : { failed };
}

/** Asks the server for its own signed summary. One try: the client's way stands behind it. */
export async function* writeByServer(job: SummaryJob): AsyncGenerator<AgentEvent, WrittenByServer> {
  const { session, span, prompt, replacesChars } = job;
  const { view, rules, policy } = session;
  const heard = yield* listen(job, () => buildServerRequest(view, span, rules, policy, prompt));
  if ("stopped" in heard) return heard;
  if ("error" in heard) return { failed: heard.error.message };
  const block = heard.answer.content.find((one) => one.type === "compaction");
  const text = block?.content?.trim() ?? "";
  if (!block || text === "") return { failed: "the server gave no summary" };
  if (text.length >= replacesChars)
    return { failed: "the server's summary is no smaller than what it would replace" };
  return { block, text, usage: heard.usage };
}

type Fault = { kind: string; message: string; error?: ModelError };
type Heard = { answer: PartialAnswer; stop: Stop; usage: Usage } | { error: Fault } | Stopped;

/** One call. Whatever goes wrong, in the request or in the stream, comes back as words. */
async function* listen(
  { model, signal }: SummaryJob,
  build: () => ModelRequest,
): AsyncGenerator<AgentEvent, Heard> {
  const answer = new PartialAnswer();
  try {
    for await (const event of model.stream(build(), signal)) {
      if (event.type === "stop") return { answer, stop: event.stop, usage: event.usage };
      answer.add(event);
      if (event.type === "delta" && event.kind === "text") {
        yield { type: "compaction", state: { step: "writing", text: event.text } };
      }
      if (signal.aborted) return { stopped: true };
    }
    return { error: { kind: "stall", message: "the model's stream ended early" } };
  } catch (caught) {
    if (signal.aborted) return { stopped: true };
    return { error: faultOf(caught) };
  }
}

function faultOf(caught: unknown): Fault {
  const message = caught instanceof Error ? caught.message : String(caught);
  return isModelError(caught)
    ? { kind: caught.kind, message, error: caught }
    : { kind: "", message };
}

/** Waits as long as the server wants; false when another try would not help, or would be one too many. */
async function* waited(
  { clock, signal }: SummaryJob,
  { kind, error, message }: Fault,
  attempt: number,
): AsyncGenerator<AgentEvent, boolean> {
  const mayHelp = kind === "busy" || kind === "stall";
  if (!mayHelp || attempt >= mostTries || signal.aborted) return false;
  if (!clock || !error) return true;
  const waitMs = retryDelayMs(attempt, error, clock.random());
  yield { type: "retry", attempt, of: mostTries, waitMs, reason: message };
  await clock.sleep(waitMs, signal);
  return !signal.aborted;
}
