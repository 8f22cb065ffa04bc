/**
 * The four boundaries of a turn: its start, before each call, after the tools of an answer, its end.
 * All of them are hook events, and compaction is the agent's own hook at each: the hooks of the
 * project come first, then the user's, then ours.
 */

import type { HookInputs } from "../extensions/hooks/output.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { ToolUseBlock } from "../protocol/block.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ApprovalGate } from "./approvals.ts";
import { listContext, type HookContext, runHooks } from "./run-hooks.ts";
import type { Session } from "./session.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";

type Boundary = "TurnStart" | "BeforeCall" | "AfterTools" | "TurnEnd";

/** Passes a boundary. Returns why a hook ends the turn there, or null. */
export async function* passBoundary<B extends Boundary>(
  context: HookContext,
  boundary: B,
  input: HookInputs[B],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, string | null> {
  const result = yield* runHooks(context, boundary, input, signal);
  for (const fact of listContext(boundary, result)) yield await context.session.record(fact);
  return result.block ?? result.stop;
}

/** How full the window is, as hooks are told. */
export function fullness({ reading }: Session): HookInputs["TurnStart"] {
  return { used_tokens: reading.usedTokens, effective_tokens: reading.effectiveTokens };
}

/** The calls of an answer, as hooks are told. */
export const callsAsInput = (calls: readonly ToolUseBlock[]): HookInputs["AfterTools"] => ({
  tool_calls: calls.map(({ id, name, input }) => {
    return { tool_name: name, tool_input: input, tool_use_id: id };
  }),
});

/** Registers compaction at the boundaries. Returns a function that removes it. */
export function registerCompaction(
  hooks: HookRegistry,
  boundaries: TurnBoundaries,
  approvals: ApprovalGate,
): () => void {
  const own = <B extends Boundary>(
    boundary: B,
    name: string,
    work: (input: HookInputs[B], signal: AbortSignal) => AsyncGenerator<AgentEvent, void>,
  ): (() => void) =>
    hooks.register(
      boundary,
      undefined,
      async (input, { signal, emit, refusal }) => {
        // A turn that another hook ends cuts nothing.
        if (refusal === null) for await (const event of work(input, signal)) emit(event);
        return {};
      },
      boundary === "TurnStart"
        ? { source: "built-in", name, tiers: ["budget", "snip", "microcompact", "summary"] }
        : { source: "built-in", name },
    );
  const registered = [
    own("TurnStart", "compact", (_, signal) => boundaries.turnStart(signal, approvals)),
    own("BeforeCall", "fit the window", (_, signal) => boundaries.beforeCall(signal)),
    own("AfterTools", "the Compact tool", ({ tool_calls }, signal) =>
      boundaries.afterTools(tool_calls, signal),
    ),
    own("TurnEnd", "the Compact tool, and a warning", (_, signal) => boundaries.turnEnd(signal)),
  ];
  return () => registered.forEach((remove) => remove());
}
