import { buildRequest } from "../context/request.ts";
import { whyTooLarge } from "../context/too-large.ts";
import type { ModelClient } from "../model/client.ts";
import type { ToolUseBlock } from "../protocol/block.ts";
import type { Clock } from "../base/clock.ts";
import { contextFact, type EntryOf } from "../protocol/entry.ts";
import type { AgentEvent, TurnEnd } from "../protocol/event.ts";
import { callModel, maxAttempts } from "./call.ts";
import { keepingCache } from "./keep-alive.ts";
import { limitReached, LoopGuard, type Limits } from "./limits.ts";
import { nextStep } from "./next-step.ts";
import type { Session } from "./session.ts";
import { contextOf, runHooks } from "./run-hooks.ts";
import { omitUnsendableImages, repairRefused } from "./repair.ts";
import { runToolCalls, type ToolContext } from "./tool-calls.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";

/** What a turn works with. */
export type TurnContext = ToolContext & {
  model: ModelClient;
  boundaries: TurnBoundaries;
  clock: Clock;
  limits: Limits;
  /** Used in place of a model that is overloaded. */
  fallbackModel?: string | undefined;
  /** Appends messages that the user typed in the meantime; returns whether there were any. */
  deliverPrompts(): AsyncGenerator<AgentEvent, boolean>;
};

export type TurnOutcome = TurnEnd & {
  /** A hook ended the turn, for this reason. */
  halt?: string;
};

/** Attempts of one call before another model is tried. */
const attemptsBeforeFallback = 3;

/** How often in a row a prompt that is too long is cut and sent again. */
const maxCuts = 3;

/** How often in a row refused content is left out and the rest sent again. */
const maxRepairs = 5;

/**
 * One turn, from the user's message (already in the log) to the model's final answer: call, run the
 * tools it asks for, call again.
 */
export async function* runTurn(
  context: TurnContext,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, TurnOutcome> {
  const { session, model, boundaries, clock, limits, fallbackModel } = context;
  const { usedTokens, effectiveTokens } = session.reading;
  const turn = { used_tokens: usedTokens, effective_tokens: effectiveTokens };
  const started = yield* runHooks(context, "TurnStart", turn, signal);
  for (const fact of contextOf("TurnStart", started)) yield await session.record(fact);
  const refusal = started.block ?? started.stop;
  if (refusal !== null) return { why: "done", halt: refusal };
  const guard = new LoopGuard();
  let continuations = 0;
  let cuts = 0;
  let repairs = 0;
  let answered = 0;
  for (;;) {
    yield* boundaries.beforeCall(signal);
    if (signal.aborted) return { why: "stopped" };
    yield* omitUnsendableImages(session);
    const request = buildRequest(session.view, session.rules, session.policy);
    const hasFallback = fallbackModel !== undefined && session.rules.model !== fallbackModel;
    const attempts = hasFallback ? attemptsBeforeFallback : maxAttempts;
    const end = yield* callModel(session, model, request, { clock, signal, of: attempts });

    if (end.is === "failed") {
      const { kind, message, sizes, status = null } = end.error;
      if (kind === "busy" && hasFallback) {
        yield* session.useModel(model, fallbackModel);
        continue;
      }
      if (kind === "too-long" && cuts++ < maxCuts && (yield* boundaries.tooLong(sizes, signal)))
        continue;
      if (kind === "invalid" && repairs++ < maxRepairs && (yield* repairRefused(session, message)))
        continue;
      const { view, rules, reading } = session;
      const why = kind === "too-long" ? whyTooLarge(view, rules, reading) : null;
      return { why: "failed", message: why ?? message, apiError: { status } };
    }
    answered++;
    cuts = 0;
    repairs = 0;
    const calls = callsOf(end.is === "answered" ? end.entry : interruptedAnswer(session));
    if (calls.length > 0) {
      // Tools may take longer than the cache lives.
      const waiting = { session, model, clock, signal };
      const halt = yield* keepingCache(waiting, request, runToolCalls(context, calls, signal));
      if (halt !== null) return { why: "done", halt };
      const circling = guard.check(calls, session.log.path);
      if (circling !== null) return { why: "failed", message: circling };
      yield* boundaries.afterTools(calls, signal);
    }
    if (end.is === "stopped" || signal.aborted) return { why: "stopped" };
    const spent = { calls: answered, usd: session.spentUsd };
    const limit = limitReached(limits, spent, calls.length > 0);
    if (limit) return limit;

    const hasPrompts = yield* context.deliverPrompts();
    if (calls.length > 0 || hasPrompts) {
      continuations = 0;
      continue;
    }

    const step = nextStep(end.entry.stop, end.detail, continuations++);
    if (step.next === "done") return { why: "done" };
    if (step.next === "give-up") return { why: "failed", message: step.message };
    if (step.next === "compact" && !(yield* boundaries.tooLong(undefined, signal))) {
      return { why: "failed", message: "The context window is full and nothing more can be cut." };
    }
    yield await session.record(contextFact("reminder", "answer cut off", step.reminder));
  }
}

/** The calls of an interrupted answer still need their results. */
function interruptedAnswer(session: Session): EntryOf<"assistant"> | undefined {
  const last = session.view.rows.at(-1)?.entry;
  return last?.type === "assistant" && last.stop === "interrupted" ? last : undefined;
}

const callsOf = (answer: EntryOf<"assistant"> | undefined): ToolUseBlock[] =>
  answer?.content.filter((block): block is ToolUseBlock => block.type === "tool_use") ?? [];
