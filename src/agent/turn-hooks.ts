/** The hooks around a turn: the tiers at its start, and at its end those that may continue it. */

import type { AgentEvent } from "../protocol/event.ts";
import { textOf } from "../protocol/block.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { ApprovalGate } from "./approvals.ts";
import { contextOf, hookContext, runHooks } from "./run-hooks.ts";
import type { Session } from "./session.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";
import { runTurn, type TurnContext, type TurnOutcome } from "./turn.ts";

/** The tiers are the first hooks of a turn's start. Returns a function that removes them. */
export const registerTiers = (
  hooks: HookRegistry,
  boundaries: TurnBoundaries,
  approvals: ApprovalGate,
): (() => void) =>
  hooks.register(
    "TurnStart",
    undefined,
    async (_, { signal, emit }) => {
      for await (const event of boundaries.turnStart(signal, approvals)) emit(event);
      return {};
    },
    { source: "built-in", name: "compact", tiers: ["budget", "snip", "microcompact", "summary"] },
  );

/** How often in a row Stop hooks may make the agent continue. */
const maxContinuations = 20;

/** Runs a turn, and repeats it while a Stop hook wants the agent to continue. */
export async function* runHookedTurn(
  context: TurnContext,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, TurnOutcome> {
  for (let continuations = 0; ; continuations++) {
    const end = yield* runTurn(context, signal);
    if (end.halt !== undefined) return yield* halted(context.session, end.halt);
    if (end.why !== "done" || signal.aborted || continuations >= maxContinuations) return end;
    const ending = {
      stop_hook_active: continuations > 0,
      last_assistant_message: lastAnswer(context.session),
    };
    const result = yield* runHooks(context, "Stop", ending, signal);
    for (const fact of contextOf("Stop", result)) yield await context.session.record(fact);
    if (result.stop !== null) return yield* halted(context.session, result.stop);
    if (result.block === null) return end;
    yield await context.session.record(hookContext("Stop", result.block));
  }
}

async function* halted(session: Session, reason: string): AsyncGenerator<AgentEvent, TurnOutcome> {
  const text = `A hook ended the turn: ${reason}`;
  yield await session.record({ type: "note", kind: "warning", text });
  return { why: "done" };
}

function lastAnswer({ view }: Session): string {
  const last = view.rows.findLast(({ entry }) => entry.type === "assistant")?.entry;
  return last?.type === "assistant" ? textOf(last.content) : "";
}
