/** Runs a permitted call, and the calls that it makes itself. */

import type { ToolUseBlock } from "../protocol/block.ts";
import type { AgentEvent, Events } from "../protocol/event.ts";
import type { InnerCall, Review, ToolOutcome } from "../tools/tool.ts";
import { askUser } from "./approvals.ts";
import { emitted, forward } from "../base/async-queue.ts";
import {
  failure,
  interrupted,
  permit,
  type Permit,
  type ReviewedCall,
  type ToolContext,
} from "./permit.ts";
import { afterTool, beforeTool, type HookNews, withPermission } from "./tool-hooks.ts";

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
type CarriedOut = Permit & { outcome: Omit<ToolOutcome, "checkpoint">; ms: number };

/** Runs a reviewed call if it is permitted, and logs what it changed. */
export async function* carryOut(
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
  const { checkpoint, ...outcome } = yield* runWatched(context, call, signal, inner);
  yield* recordCheckpoint(context, call, checkpoint);
  return { ...permitted, outcome, ms: context.session.nowMs - startedMs };
}

type Emit = (event: AgentEvent) => void;

/**
 * Runs the inner calls of one call. Those that only read run at once, the others in the order in which
 * they were made. Each
 * becomes a `step` entry, even when it is denied.
 */
export class InnerCalls {
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

  async run({ tool, input, signal }: InnerCall, emit: Emit): Promise<ToolOutcome> {
    const id = `${this.#outer}-${++this.#made}`;
    const requested: ToolUseBlock = { type: "tool_use", id, name: tool, input };
    const earlier = this.#latest;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.#latest = earlier.then(() => promise);
    try {
      const before = beforeTool(this.#context, requested, this.#news, signal);
      const { call, permission } = await forward(before, emit);
      const judge = async (): Promise<Review> =>
        withPermission(await this.#context.toolbox.review(call), call, permission);
      let review = await judge();
      if (review.verdict === "allow" && review.readOnly) end();
      else {
        await earlier;
        review = await judge();
      }
      return await forward(this.#step({ call, review }, signal), emit);
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
