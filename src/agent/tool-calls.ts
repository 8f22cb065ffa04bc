import type { ToolUseBlock } from "../protocol/block.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import type { Review, Toolbox, ToolOutcome } from "../tools/tool.ts";
import type { ApprovalGate } from "./approvals.ts";
import { AsyncQueue } from "./async-queue.ts";
import { merge } from "./merge.ts";
import type { Session } from "./session.ts";

export type ToolContext = { session: Session; toolbox: Toolbox; approvals: ApprovalGate };

type ReviewedCall = { call: ToolUseBlock; review: Review };

/**
 * Runs the calls of one answer: read-only calls concurrently, the others one after another. Every
 * call gets exactly one result in the log, even when it is denied or the turn is stopped.
 */
export async function* runToolCalls(
  context: ToolContext,
  calls: readonly ToolUseBlock[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  yield { type: "phase", phase: "tools" };
  let readOnly: ReviewedCall[] = [];
  const runReadOnly = async function* (): AsyncGenerator<AgentEvent, void> {
    const streams = readOnly.map((reviewed) => runOne(context, reviewed, signal));
    readOnly = [];
    yield* merge(streams);
  };
  for (const call of calls) {
    let review = await context.toolbox.review(call);
    if (review.verdict === "allow" && review.readOnly) {
      readOnly.push({ call, review });
      continue;
    }
    if (readOnly.length > 0) {
      yield* runReadOnly();
      // A write may depend on what has just been read.
      review = await context.toolbox.review(call);
    }
    yield* runOne(context, { call, review }, signal);
  }
  yield* runReadOnly();
}

async function* runOne(
  context: ToolContext,
  { call, review }: ReviewedCall,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const { session } = context;
  const denial = signal.aborted ? interrupted : yield* permit(context, call, review);
  if (denial !== null) {
    yield await session.record(resultOf(call, failure(signal.aborted ? interrupted : denial)));
    return;
  }
  const { checkpoint, ...result } = yield* runWatched(context, call, signal);
  if (checkpoint && checkpoint.length > 0) {
    yield await session.record({ type: "checkpoint", toolUse: call.id, files: checkpoint });
  }
  yield await session.record(resultOf(call, result));
}

/** Returns null when the call may run, else the reason why not, for the model. */
async function* permit(
  { session, toolbox, approvals }: ToolContext,
  call: ToolUseBlock,
  review: Review,
): AsyncGenerator<AgentEvent, string | null> {
  if (review.verdict === "allow") return null;
  if (review.verdict === "refuse") return review.reason;
  const ask: Ask = { id: call.id, toolUse: call.id, tool: call.name, ...review.ask };
  yield { type: "ask", ask };
  const answer = await approvals.ask(ask);
  yield { type: "asked", id: ask.id };
  const decision = answer.allow ? `allowed (${answer.scope})` : "denied";
  yield await session.record({
    type: "note",
    kind: "permission",
    text: `${decision}: ${summaryOf(ask)}`,
  });
  if (!answer.allow) return denied(answer.reason);
  if (answer.scope !== "once") {
    try {
      toolbox.allowForSession(call, { save: answer.scope === "always" });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      yield await session.record({ type: "note", kind: "permission", text });
    }
  }
  return null;
}

/** A question in one line; a command is named by its first line. */
function summaryOf({ title, detail, detailKind }: Ask): string {
  const line = detail.split("\n", 1)[0] ?? "";
  return detailKind === "command" ? `${title}: ${line}` : title;
}

/** Runs a call, reports its output as it grows, and lets the user send it to the background. */
export async function* runWatched(
  { toolbox, approvals }: Omit<ToolContext, "session">,
  call: ToolUseBlock,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ToolOutcome> {
  const events = new AsyncQueue<AgentEvent>();
  const outcome = toolbox
    .run(call, {
      signal,
      background: approvals.background(call.id),
      progress: (tail, bytes) => events.push({ type: "progress", toolUse: call.id, tail, bytes }),
    })
    .finally(() => events.close());
  yield* events;
  return outcome;
}

const interrupted = "Interrupted by the user before it finished.";

const denied = (reason?: string): string =>
  reason
    ? `The user denied this call and said: ${reason}`
    : "The user denied this call. Do not attempt it another way; ask what to do instead.";

const failure = (text: string): ToolOutcome => ({
  content: [{ type: "text", text }],
  bytes: Buffer.byteLength(text),
  lines: 1,
  isError: true,
});

const resultOf = (call: ToolUseBlock, outcome: Omit<ToolOutcome, "checkpoint">) =>
  ({ type: "result", toolUse: call.id, tool: call.name, ...outcome }) as const;
