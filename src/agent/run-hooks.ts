/** Hooks inside the agent: their events, what they say to the user, and what they say to the model. */

import type { HookEvent, HookInputs, HookResult } from "../extensions/hooks/output.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { ToolInput } from "../protocol/block.ts";
import { takeStart } from "../base/clip.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { emitted } from "./async-queue.ts";
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
): AsyncGenerator<AgentEvent, HookResult> {
  const result = yield* emitted<AgentEvent, HookResult>((emit) =>
    hooks.run(event, input, { signal, emit, understood }),
  );
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
