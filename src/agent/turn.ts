import { buildRequest } from "../context/request.ts";
import type { ModelClient } from "../model/client.ts";
import type { ToolUseBlock, UserBlock } from "../protocol/block.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Toolbox } from "../tools/tool.ts";
import { callModel } from "./call.ts";
import type { Clock } from "./clock.ts";
import { nextStep } from "./next-step.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";
import { LoopGuard } from "./loop-guard.ts";
import type { Session } from "./session.ts";
import { runToolCalls, type ApprovalGate } from "./tool-calls.ts";

export type TurnOptions = {
  session: Session;
  model: ModelClient;
  toolbox: Toolbox;
  hooks: TurnBoundaries;
  asking: ApprovalGate;
  clock: Clock;
  /** Messages that the person typed meanwhile; taking them empties the queue. */
  takeQueued(): UserBlock[][];
};

export type TurnEnd = { why: "done" | "stopped" | "failed"; message?: string };

/** How often a prompt that is too long is cut and sent again before the turn gives up. */
const maxCuts = 3;

/**
 * One turn, from the user's message (already in the log) to the model's last word: call, run the
 * tools it asks for, call again. Ends in words, never in an exception, whatever the model does.
 */
export async function* runTurn(
  parts: TurnOptions,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, TurnEnd> {
  const { session, model, toolbox, hooks, asking, clock } = parts;
  yield* hooks.turnStart(signal, asking);
  const guard = new LoopGuard();
  let goneOn = 0;
  let cuts = 0;
  for (;;) {
    if (signal.aborted) return { why: "stopped" };
    yield* hooks.beforeCall(signal);
    if (signal.aborted) return { why: "stopped" };
    const request = buildRequest(session.view, session.rules, session.policy);
    const end = yield* callModel(session, model, request, clock, signal);

    if (end.is === "failed") {
      const { kind, message, sizes } = end.error;
      if (kind === "too-long" && cuts++ < maxCuts && (yield* hooks.tooLong(sizes, signal)))
        continue;
      return { why: "failed", message };
    }
    const answer = end.is === "answered" ? end.entry : lastAnswer(session);
    const calls = answer?.content.filter(
      (block): block is ToolUseBlock => block.type === "tool_use",
    );
    if (calls && calls.length > 0) {
      yield* runToolCalls(session, toolbox, calls, asking, signal);
      const circling = guard.check(calls, session.log.path);
      if (circling !== null) return { why: "failed", message: circling };
      yield* hooks.afterTools(calls, signal);
    }
    if (end.is === "stopped" || signal.aborted) return { why: "stopped" };

    const queued = parts.takeQueued();
    for (const content of queued) yield await session.record({ type: "user", content });
    if ((calls && calls.length > 0) || queued.length > 0) continue;

    const ending = nextStep(end.entry.stop, end.detail, goneOn++);
    if (ending.next === "done") return { why: "done" };
    if (ending.next === "give-up") return { why: "failed", message: ending.message };
    if (ending.next === "compact" && !(yield* hooks.tooLong(undefined, signal))) {
      return { why: "failed", message: "The context window is full and nothing more can be cut." };
    }
    yield await session.record({
      type: "context",
      kind: "reminder",
      title: "answer cut off",
      content: [{ type: "text", text: ending.reminder }],
    });
  }
}

/** The interrupted answer, whose tool calls still need their results. */
function lastAnswer(session: Session) {
  const last = session.view.rows.at(-1)?.entry;
  return last?.type === "assistant" && last.stop === "interrupted" ? last : undefined;
}
