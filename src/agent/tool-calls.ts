/** Runs the tools of one answer, and the calls that a running call makes itself. */

import { emitted, forward, merge } from "../base/async-queue.ts";
import type { ToolUseBlock } from "../protocol/block.ts";
import type { AgentEvent, Events } from "../protocol/event.ts";
import type { InnerCall, ToolOutcome } from "../tools/tool.ts";
import { askUser } from "./approvals.ts";
import { afterTool, beforeTool, HookNews, withPermission } from "./hooks.ts";
import {
  failure,
  interrupted,
  permit,
  type Permit,
  type ReviewedCall,
  type ToolContext,
} from "./permit.ts";
import type { Fault } from "./progress.ts";

/** `faults`: by call id, why calls did not run. */
type Step = { news: HookNews; faults: Map<string, Fault> };

/** `halt`: why a hook ends the turn, or null. */
type RanCalls = { halt: string | null; faults: ReadonlyMap<string, Fault> };

/**
 * Runs the calls of one answer: read-only calls concurrently, the others one after another. Every
 * call gets exactly one result in the log, even when it is denied or the turn is stopped. `cutOff`:
 * the call whose input is incomplete, and its result.
 */
export async function* runToolCalls(
  context: ToolContext,
  calls: readonly ToolUseBlock[],
  signal: AbortSignal,
  cutOff: { id: string; result: string } | null = null,
): Events<RanCalls> {
  yield { type: "phase", phase: "tools" };
  const step: Step = { news: new HookNews(), faults: new Map() };
  const { news, faults } = step;
  let readOnly: ReviewedCall[] = [];
  const runReadOnly = async function* (): Events {
    const streams = readOnly.map((reviewed) => runOne(context, reviewed, step, signal));
    readOnly = [];
    yield* merge(streams);
  };
  for (const requested of calls) {
    if (requested.id === cutOff?.id) {
      yield* runReadOnly();
      faults.set(requested.id, "cut");
      yield await context.session.record(toResultFact(requested, failure(cutOff.result)));
      continue;
    }
    const review = yield* prepare(context, requested, news, signal);
    let reviewed = await review();
    if (onlyReads(reviewed)) {
      readOnly.push(reviewed);
      continue;
    }
    if (readOnly.length > 0) {
      yield* runReadOnly();
      // A write may depend on what has just been read.
      reviewed = await review();
    }
    yield* runOne(context, reviewed, step, signal);
  }
  yield* runReadOnly();
  for (const fact of news.facts) yield await context.session.record(fact);
  return { halt: news.stop, faults };
}

/** Runs the hooks before a call. Returns its review, which may change with what runs meanwhile. */
async function* prepare(
  context: ToolContext,
  requested: ToolUseBlock,
  news: HookNews,
  signal: AbortSignal,
): Events<() => Promise<ReviewedCall>> {
  const { call, permission } = yield* beforeTool(context, requested, news, signal);
  return async () => {
    const review = withPermission(await context.toolbox.review(call), call, permission);
    return { call, review };
  };
}

const onlyReads = ({ review }: ReviewedCall): boolean =>
  review.verdict === "allow" && review.readOnly;

async function* runOne(
  context: ToolContext,
  reviewed: ReviewedCall,
  { news, faults }: Step,
  signal: AbortSignal,
): Events {
  const { session, toolbox } = context;
  const inner = new InnerCalls(context, reviewed.call.id, news);
  const { call, outcome, denial, fault } = yield* carryOut(context, reviewed, signal, inner);
  if (fault) faults.set(call.id, fault);
  const { facts = [], ...result } = outcome;
  try {
    yield await session.record(toResultFact(call, result));
  } catch (error) {
    // On a full disk it would keep the room that the log needs.
    await toolbox.discard?.(outcome);
    throw error;
  }
  if (denial !== null) return;
  news.facts.push(...facts);
  yield* afterTool(context, call, outcome, news, signal);
}

/**
 * Runs a call that the user makes through a command, not the model: judged and hooked like any
 * other, but its result is not an entry.
 */
export async function* runUnrecorded(
  context: ToolContext,
  requested: ToolUseBlock,
  signal: AbortSignal,
): Events<ToolOutcome> {
  const review = yield* prepare(context, requested, new HookNews(), signal);
  const { outcome, denial } = yield* carryOut(context, await review(), signal);
  return denial === null ? outcome : failure(`(not run: ${denial})`);
}

const toResultFact = (
  call: ToolUseBlock,
  outcome: Omit<ToolOutcome, "checkpoint" | "facts" | "mode">,
) => ({ type: "result", toolUse: call.id, tool: call.name, ...outcome }) as const;

/** Logs the changes of a call, for a rewind. */
export async function* recordCheckpoint(
  { session, toolbox }: Pick<ToolContext, "session" | "toolbox">,
  { id: toolUse }: ToolUseBlock,
  files: ToolOutcome["checkpoint"] = [],
): Events {
  if (files.length > 0) yield await session.record({ type: "checkpoint", toolUse, files });
  await toolbox.logged?.();
}

/** Runs a call, reports its output as it grows, and lets the user send it to the background. */
export async function* runWatched(
  { toolbox, approvals }: Pick<ToolContext, "toolbox" | "approvals">,
  call: ToolUseBlock,
  signal: AbortSignal,
  inner?: InnerCalls | "for-script",
): Events<ToolOutcome> {
  return yield* emitted<AgentEvent, ToolOutcome>((emit) =>
    toolbox.run(call, {
      ...(inner instanceof InnerCalls && { call: (made: InnerCall) => inner.run(made, emit) }),
      forScript: inner === "for-script",
      signal,
      background: approvals.background(call.id),
      ask: async (ask) =>
        toolbox.mode === "dont-ask" ? { allow: false } : forward(askUser(approvals, ask), emit),
      progress: (tail, bytes) => emit({ type: "progress", toolUse: call.id, tail, bytes }),
    }),
  );
}

/** `outcome`: of a call that was denied, why. `ms`: without the time that an approval takes. */
type CarriedOut = Permit & { outcome: Omit<ToolOutcome, "checkpoint" | "mode">; ms: number };

/** Runs a reviewed call if it is permitted, and logs its changes to files. */
async function* carryOut(
  context: ToolContext,
  reviewed: ReviewedCall,
  signal: AbortSignal,
  inner?: InnerCalls | "for-script",
): Events<CarriedOut> {
  const permitted = yield* permit(context, reviewed, signal);
  const { call, denial } = permitted;
  if (denial !== null)
    return { ...permitted, outcome: failure(signal.aborted ? interrupted : denial), ms: 0 };
  const startedMs = context.session.nowMs;
  const { checkpoint, mode, ...outcome } = yield* runWatched(context, call, signal, inner);
  if (mode !== undefined) yield { type: "mode", mode };
  yield* recordCheckpoint(context, call, checkpoint);
  return { ...permitted, outcome, ms: context.session.nowMs - startedMs };
}

/**
 * Runs the inner calls of one call. Those that only read run at once, the others in the order in which
 * they were made. Each
 * becomes a `step` entry, even when it is denied.
 */
class InnerCalls {
  readonly #context: ToolContext;
  readonly #outer: string;
  readonly #news: HookNews;
  #made = 0;
  /** Ends with all calls made so far that do not only read. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(context: ToolContext, outer: string, news: HookNews) {
    this.#context = context;
    this.#outer = outer;
    this.#news = news;
  }

  async run(
    { tool, input, signal }: InnerCall,
    emit: (event: AgentEvent) => void,
  ): Promise<ToolOutcome> {
    const id = `${this.#outer}-${++this.#made}`;
    const requested: ToolUseBlock = { type: "tool_use", id, name: tool, input };
    const earlier = this.#latest;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.#latest = earlier.then(() => promise);
    try {
      const review = await forward(prepare(this.#context, requested, this.#news, signal), emit);
      let reviewed = await review();
      if (onlyReads(reviewed)) end();
      else {
        await earlier;
        reviewed = await review();
      }
      return await forward(this.#step(reviewed, signal), emit);
    } finally {
      end();
    }
  }

  async *#step(reviewed: ReviewedCall, signal: AbortSignal): Events<ToolOutcome> {
    const { session } = this.#context;
    const done = yield* carryOut(this.#context, reviewed, signal, "for-script");
    const { call, outcome, denial, ms } = done;
    const { facts = [], loads: _, ...result } = outcome;
    const { id: toolUse, name: tool, input } = call;
    const step = { outer: this.#outer, toolUse, tool, input, ms, ...result };
    yield await session.record({ type: "step", ...step });
    this.#news.facts.push(...facts);
    if (denial === null) yield* afterTool(this.#context, call, outcome, this.#news, signal);
    return outcome;
  }
}
