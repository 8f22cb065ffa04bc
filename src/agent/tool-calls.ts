import type { ToolUseBlock } from "../protocol/block.ts";
import type { Events } from "../protocol/event.ts";
import type { Review, ToolOutcome } from "../tools/tool.ts";
import { merge } from "../base/async-queue.ts";
import { carryOut, InnerCalls } from "./inner-calls.ts";
import { failure, type ReviewedCall, type ToolContext } from "./permit.ts";
import type { Fault } from "./progress.ts";
import { afterTool, beforeTool, HookNews, withPermission } from "./tool-hooks.ts";

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
    const { call, permission } = yield* beforeTool(context, requested, news, signal);
    const judge = async (): Promise<Review> =>
      withPermission(await context.toolbox.review(call), call, permission);
    let review = await judge();
    if (review.verdict === "allow" && review.readOnly) {
      readOnly.push({ call, review });
      continue;
    }
    if (readOnly.length > 0) {
      yield* runReadOnly();
      // A write may depend on what has just been read.
      review = await judge();
    }
    yield* runOne(context, { call, review }, step, signal);
  }
  yield* runReadOnly();
  for (const fact of news.facts) yield await context.session.record(fact);
  return { halt: news.stop, faults };
}

async function* runOne(
  context: ToolContext,
  reviewed: ReviewedCall,
  { news, faults }: Step,
  signal: AbortSignal,
): Events {
  const { session, toolbox } = context;
  const { mode } = toolbox;
  const inner = new InnerCalls(context, reviewed.call.id, news);
  const { call, outcome, denial, fault } = yield* carryOut(context, reviewed, signal, inner);
  if (fault) faults.set(call.id, fault);
  if (toolbox.mode !== mode) yield { type: "mode", mode: toolbox.mode };
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
  const { call, permission } = yield* beforeTool(context, requested, new HookNews(), signal);
  const review = withPermission(await context.toolbox.review(call), call, permission);
  const { outcome, denial } = yield* carryOut(context, { call, review }, signal);
  return denial === null ? outcome : failure(`(not run: ${denial})`);
}

const toResultFact = (call: ToolUseBlock, outcome: Omit<ToolOutcome, "checkpoint" | "facts">) =>
  ({ type: "result", toolUse: call.id, tool: call.name, ...outcome }) as const;
