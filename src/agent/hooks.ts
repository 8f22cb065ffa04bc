/**
 * Hooks inside the agent: their events, what they say to the user, and what they say to the model. The four
 * boundaries of a turn are hook events: its start, before each call, after the tools of an answer, its end.
 */

import type { HookEvent, HookInputs, HookResult } from "../extensions/hooks/output.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { ToolInput, ToolUseBlock } from "../protocol/block.ts";
import { takeStart } from "../base/clip.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact } from "../protocol/entry.ts";
import type { Events } from "../protocol/event.ts";
import type { Session } from "./session.ts";

export type HookContext = { session: Session; hooks: HookRegistry };

/** Characters of one hook's output that the model is shown. */
const maxContextChars = 10_000;

/** Runs the hooks of an event; what they say to the user is recorded. */
export async function* runHooks<E extends HookEvent>(
  { session, hooks }: HookContext,
  event: E,
  input: HookInputs[E],
  signal: AbortSignal,
  understood?: (input: ToolInput) => ToolInput,
): Events<HookResult> {
  const result = yield* hooks.stream(event, input, { signal, understood });
  for (const text of result.messages)
    yield await session.record({ type: "note", kind: "warning", text });
  for (const { text, spent } of result.judged)
    yield await session.record({ type: "note", kind: "info", text, spent });
  return result;
}

/** The messages of an event's hooks to the model. */
export function listContext(
  event: HookEvent,
  { context, facts }: Pick<HookResult, "context" | "facts">,
): ContextFact[] {
  const said = context.map((text) => hookContext(event, text));
  return [...facts, ...said];
}

export const hookContext = (event: HookEvent, text: string): ContextFact =>
  contextFact("reminder", `${event} hook`, shortened(text));

function shortened(text: string): string {
  const rest = text.length - maxContextChars;
  return rest > 0 ? `${takeStart(text, maxContextChars)}\n[${rest} more characters]` : text;
}

export type Boundary = "TurnStart" | "BeforeCall" | "AfterTools" | "TurnEnd";

/** Passes a boundary. Returns why a hook ends the turn there, or null. */
export async function* passBoundary<B extends Boundary>(
  context: HookContext,
  boundary: B,
  input: HookInputs[B],
  signal: AbortSignal,
): Events<string | null> {
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
