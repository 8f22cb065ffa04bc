/** The loop of a turn: call the model, run the tools it asks for, call again, until it is done. */

import { describeLoss, expectReads } from "../context/meter/cache.ts";
import { buildRequest } from "../context/request.ts";
import { whyTooLarge } from "../context/rules/window.ts";
import { blockText, type ToolUseBlock } from "../protocol/block.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { EntryOf } from "../protocol/entry.ts";
import type { Events, TurnEnd } from "../protocol/event.ts";
import { type CallError, callModel, maxAttempts, type ShowDelta } from "./call.ts";
import { type Goal, GoalWatch } from "./goal.ts";
import { keepingCache } from "./keep-alive.ts";
import { limitReached } from "./budget.ts";
import { nextStep } from "./next-step.ts";
import { cutOffCall, ProgressGuard, withMoreRoom } from "./progress.ts";
import { endStaleLoop, omitUnsendableImages, repairRefused, repairTooManyBytes } from "./repair.ts";
import {
  callsAsInput,
  fullness,
  hookContext,
  listContext,
  passBoundary,
  runHooks,
} from "./hooks.ts";
import type { Session } from "./session.ts";
import type { AgentContext } from "./options.ts";
import { runToolCalls } from "./tool-calls.ts";

/** Everything that a turn needs. */
type TurnContext = AgentContext & {
  /** The turn's goal, if `/goal` began it or joined it. */
  goal(): Goal | null;
  show: ShowDelta;
  /** Appends messages that the user typed in the meantime; returns whether there were any. */
  deliverPrompts(): Events<boolean>;
};

/** `halt`: a hook ended the turn, for this reason. */
type TurnOutcome = TurnEnd & { halt?: string };

/** How often in a row Stop hooks may make the agent continue. */
const maxStops = 20;

/**
 * One turn, from the user's message (already in the log) to the final answer, and on from there while
 * a Stop hook wants the agent to continue.
 */
export async function* runTurn(context: TurnContext, signal: AbortSignal): Events<TurnEnd> {
  const { session } = context;
  const counts = { calls: 0 };
  let latest: GoalWatch | null = null;
  const watch = (): GoalWatch | null => {
    const goal = context.goal();
    if (goal !== null && latest?.goal !== goal) latest = new GoalWatch(goal, session);
    return goal && latest;
  };
  watch();
  for (let stops = 0; ;) {
    const { halt, ...end } = yield* callUntilDone(context, signal, watch, counts);
    if (halt !== undefined) return yield* halted(session, halt);
    if (end.why !== "done" || signal.aborted || stops >= maxStops) return end;
    const said = lastAnswer(session);
    const ending = { stop_hook_active: stops > 0, last_assistant_message: said };
    const result = yield* runHooks(context, "Stop", ending, signal);
    for (const fact of listContext("Stop", result)) yield await session.record(fact);
    if (result.stop !== null) return yield* halted(session, result.stop);
    if (result.block !== null) {
      stops++;
      yield await session.record(hookContext("Stop", result.block));
      continue;
    }
    const goal = watch();
    if (goal === null) return end;
    const reached = yield* goal.check(context, signal);
    if (reached !== null) return reached;
    // A goal has limits of its own.
    counts.calls = 0;
  }
}

async function* halted(session: Session, reason: string): Events<TurnEnd> {
  const text = `A hook ended the turn: ${reason}`;
  yield await session.record({ type: "note", kind: "warning", text });
  return { why: "done" };
}

function lastAnswer({ view }: Session): string {
  const last = view.rows.findLast(({ entry }) => entry.type === "assistant")?.entry;
  return last?.type === "assistant" ? blockText(last.content) : "";
}

async function* callUntilDone(
  context: TurnContext,
  signal: AbortSignal,
  watch: () => GoalWatch | null,
  counts: { calls: number },
): Events<TurnOutcome> {
  const { session, model, boundaries, clock, limits = {} } = context;
  const refusal = yield* passBoundary(context, "TurnStart", fullness(session), signal);
  if (refusal !== null) return { why: "done", halt: refusal };
  const guard = new ProgressGuard();
  const recovery = new Recovery(context);
  /** Continuations after answers without tool calls. */
  let inARow = 0;
  let inTurn = 0;
  let cutAnswers = 0;
  for (;;) {
    const halt = yield* passBoundary(context, "BeforeCall", fullness(session), signal);
    if (signal.aborted) return { why: "stopped" };
    if (halt !== null) return { why: "done", halt };
    yield* omitUnsendableImages(session, context.shrinkImage);
    yield* endStaleLoop(session);
    if (context.budget) {
      const over = yield* context.budget.check(session, context.approvals);
      if (over) return signal.aborted ? { why: "stopped" } : over;
    }
    const built = buildRequest(session.view, session.rules, session.policy);
    const request = withMoreRoom(built, cutAnswers, session);
    const expected = expectReads(session.signals);
    const usdBefore = session.spentUsd;
    /** What failed attempts cost has reached a limit. */
    const over = (): TurnEnd | null => {
      const usd = session.spentUsd;
      if (usd === usdBefore) return null;
      return limitReached(limits, { calls: 0, usd }, false) ?? context.budget?.reached ?? null;
    };
    const attempts = { clock, signal, of: recovery.attempts, show: context.show };
    const isOver = (): boolean => over() !== null;
    const end = yield* callModel(session, model, request, { ...attempts, isOver });
    if (end.is === "failed") {
      const limit = over();
      if (limit) return limit;
      const failure = yield* recovery.from(end.error, signal);
      if (failure) return failure;
      continue;
    }
    counts.calls++;
    if (context.budget?.isCapped) yield context.budget.event;
    recovery.reset();
    const loss = end.is === "answered" ? describeLoss(expected, end.entry.usage) : null;
    if (loss !== null) yield await session.record({ type: "note", kind: "info", text: loss });
    const answer = end.is === "answered" ? end.entry : interruptedAnswer(session);
    const calls = listCalls(answer);
    cutAnswers = answer?.stop === "max_tokens" ? cutAnswers + 1 : 0;
    if (calls.length > 0) {
      // Tools may take longer than the cache lives.
      const cutOff = answer ? cutOffCall(answer, request.maxTokens) : null;
      const running = runToolCalls(context, calls, signal, cutOff);
      const ran = yield* keepingCache(context, signal, request, running);
      if (ran?.halt != null) return { why: "done", halt: ran.halt };
      const stuck = signal.aborted ? null : guard.check(calls, ran?.faults, session.log.path);
      if (stuck?.is === "end") return { why: "failed", message: stuck.message };
      if (stuck) yield await session.record(contextFact("reminder", "no progress", stuck.text));
      const after = yield* passBoundary(context, "AfterTools", callsAsInput(calls), signal);
      if (after !== null) return { why: "done", halt: after };
    }
    if (end.is === "stopped" || signal.aborted) return { why: "stopped" };
    const spent = { calls: counts.calls, usd: session.spentUsd };
    const limit = limitReached(limits, spent, calls.length > 0);
    if (limit) return limit;
    const spentOnGoal = calls.length > 0 ? watch()?.overBudget() : null;
    if (spentOnGoal) return spentOnGoal;

    const hasPrompts = yield* context.deliverPrompts();
    if (calls.length > 0 || hasPrompts) {
      inARow = 0;
      continue;
    }
    const step = nextStep(end.entry, end.detail, inARow++, inTurn++);
    if (step.next === "done") return { why: "done" };
    if (step.next === "give-up") return { why: "failed", message: step.message };
    if (step.next === "compact" && !(yield* boundaries.tooLong(undefined, signal)))
      return {
        why: "failed",
        message: "The context window is full and nothing more can be removed.",
      };
    yield await session.record(contextFact("reminder", "answer cut off", step.reminder));
  }
}

/** The calls of an interrupted answer still need their results. */
function interruptedAnswer(session: Session): EntryOf<"assistant"> | undefined {
  const last = session.view.rows.at(-1)?.entry;
  return last?.type === "assistant" && last.stop === "interrupted" ? last : undefined;
}

const listCalls = (answer: EntryOf<"assistant"> | undefined): ToolUseBlock[] =>
  answer?.content.filter((block): block is ToolUseBlock => block.type === "tool_use") ?? [];

/** Attempts of one call before another model is tried. */
const attemptsBeforeFallback = 3;

/** How often in a row a prompt that is too long is cut and sent again. */
const maxCuts = 3;

/** How often in a row refused content is left out and the rest sent again. */
const maxRepairs = 5;

/** HTTP status of a request that is too large in bytes, not in tokens. */
const tooManyBytes = 413;

/** Ways out of a failed call: another model, a smaller request, one without what was refused. */
class Recovery {
  readonly #context: TurnContext;
  #cuts = 0;
  #repairs = 0;

  constructor(context: TurnContext) {
    this.#context = context;
  }

  get attempts(): number {
    return this.#fallback === null ? maxAttempts : attemptsBeforeFallback;
  }

  /** The call was answered. */
  reset(): void {
    this.#cuts = 0;
    this.#repairs = 0;
  }

  /** Returns null when the call should be made again, or else how the turn ends. */
  async *from(error: CallError, signal: AbortSignal): Events<TurnEnd | null> {
    const { session, model, boundaries } = this.#context;
    const { kind, message, sizes, status = null } = error;
    const fallback = this.#fallback;
    if (kind === "busy" && fallback !== null) {
      yield* session.useModel(model, fallback);
      return null;
    }
    if (status === tooManyBytes && this.#repairs++ < maxRepairs)
      if (yield* repairTooManyBytes(session, this.#context.shrinkImage)) return null;
    const { usedTokens } = session.reading;
    // A proxy with so small a limit would refuse the request even after a cut.
    const isSmall =
      status === tooManyBytes && !sizes && usedTokens < session.rules.windowTokens / 4;
    if (
      kind === "too-long" &&
      !isSmall &&
      this.#cuts++ < maxCuts &&
      (yield* boundaries.tooLong(sizes, signal))
    )
      return null;
    if (kind === "invalid" && this.#repairs++ < maxRepairs)
      if (yield* repairRefused(session, message)) return null;
    const { view, rules, reading } = session;
    // Without the server's sizes there is nothing but a guess.
    const why = kind === "too-long" && sizes ? whyTooLarge(view, rules, reading) : null;
    return { why: "failed", message: why ?? message, apiError: { status } };
  }

  /** The model to use instead of one that is overloaded; null: none is left. */
  get #fallback(): string | null {
    const { session, fallbackModel } = this.#context;
    return fallbackModel === undefined || session.rules.model === fallbackModel
      ? null
      : fallbackModel;
  }
}
