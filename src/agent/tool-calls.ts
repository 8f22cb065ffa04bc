import type { ToolUseBlock } from "../protocol/block.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import type { Answer } from "../protocol/command.ts";
import type { ToolOutcome, Review, Toolbox } from "../tools/tool.ts";
import { AsyncQueue } from "./async-queue.ts";
import { merge } from "./merge.ts";
import type { Session } from "./session.ts";

export type ApprovalGate = {
  /** Resolves with the person's answer; with a refusal when the turn is stopped. */
  ask(ask: Ask): Promise<Answer>;
  /** Resolves when the person sends this running call to the background. */
  background(toolUse: string): Promise<void>;
};

type Reviewed = { call: ToolUseBlock; review: Review };

/**
 * Runs the calls of one answer: those that only read side by side, the others one after another.
 * Every call gets exactly one result in the log, also when it is refused or the turn is stopped.
 */
export async function* runToolCalls(
  session: Session,
  toolbox: Toolbox,
  calls: readonly ToolUseBlock[],
  asking: ApprovalGate,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  yield { type: "phase", phase: "tools" };
  let together: Reviewed[] = [];
  const runTogether = async function* (): AsyncGenerator<AgentEvent, void> {
    const streams = together.map((one) => runOne(session, toolbox, one, asking, signal));
    together = [];
    yield* merge(streams);
  };
  for (const call of calls) {
    const reviewed = { call, review: await toolbox.review(call) };
    if (reviewed.review.verdict === "allow" && reviewed.review.readOnly) {
      together.push(reviewed);
      continue;
    }
    yield* runTogether();
    yield* runOne(session, toolbox, reviewed, asking, signal);
  }
  yield* runTogether();
}

async function* runOne(
  session: Session,
  toolbox: Toolbox,
  { call, review }: Reviewed,
  asking: ApprovalGate,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const refusal = signal.aborted
    ? interrupted
    : yield* permit(session, toolbox, call, review, asking);
  if (refusal !== null) {
    yield await session.record(resultOf(call, failure(signal.aborted ? interrupted : refusal)));
    return;
  }
  const outcome = yield* runWatched(toolbox, call, asking, signal);
  const { checkpoint, ...result } = outcome;
  if (checkpoint && checkpoint.length > 0) {
    yield await session.record({ type: "checkpoint", toolUse: call.id, files: checkpoint });
  }
  yield await session.record(resultOf(call, result));
}

/** Null when the call may run, else why not, in words for the model. */
async function* permit(
  session: Session,
  toolbox: Toolbox,
  call: ToolUseBlock,
  review: Review,
  asking: ApprovalGate,
): AsyncGenerator<AgentEvent, string | null> {
  if (review.verdict === "allow") return null;
  if (review.verdict === "refuse") return review.reason;
  const ask: Ask = { id: call.id, toolUse: call.id, tool: call.name, ...review.ask };
  yield { type: "ask", ask };
  const answer = await asking.ask(ask);
  yield { type: "asked", id: ask.id };
  const word = answer.allow ? `allowed (${answer.scope})` : "declined";
  yield await session.record({ type: "note", kind: "permission", text: `${word}: ${ask.title}` });
  if (!answer.allow) return declined(answer.reason);
  if (answer.scope === "session") toolbox.allowForSession(call);
  return null;
}

/** Runs a call while its output is told and it can be sent to the background. */
export async function* runWatched(
  toolbox: Toolbox,
  call: ToolUseBlock,
  asking: ApprovalGate,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ToolOutcome> {
  const events = new AsyncQueue<AgentEvent>();
  const outcome = toolbox
    .run(call, {
      signal,
      background: asking.background(call.id),
      progress: (tail, bytes) => events.push({ type: "progress", toolUse: call.id, tail, bytes }),
    })
    .finally(() => events.close());
  yield* events;
  return outcome;
}

export const interrupted = "Interrupted by the user before it finished.";

const declined = (reason?: string): string =>
  reason
    ? `The user declined this call and said: ${reason}`
    : "The user declined this call. Do not try it again in another way; ask what to do instead.";

const failure = (text: string): ToolOutcome => ({
  content: [{ type: "text", text }],
  bytes: Buffer.byteLength(text),
  lines: 1,
  isError: true,
});

const resultOf = (call: ToolUseBlock, outcome: Omit<ToolOutcome, "checkpoint">) =>
  ({ type: "result", toolUse: call.id, tool: call.name, ...outcome }) as const;
