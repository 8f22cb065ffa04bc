import type { ToolInput, ToolUseBlock } from "../protocol/block.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import { errorMessage } from "../base/in-words.ts";
import type { InnerCall, Review, Toolbox, ToolOutcome } from "../tools/tool.ts";
import { askUser, type ApprovalGate } from "./approvals.ts";
import { emitted, forward, merge } from "./async-queue.ts";
import type { Fault } from "./progress.ts";
import type { HookContext } from "./hooks.ts";
import { afterTool, askHooks, beforeTool, HookNews, withPermission } from "./tool-hooks.ts";

export type ToolContext = HookContext & { toolbox: Toolbox; approvals: ApprovalGate };

type ReviewedCall = { call: ToolUseBlock; review: Review };

/** `faults`: by call id, why calls did not run. */
type Step = { news: HookNews; faults: Map<string, Fault> };

/** `halt`: why a hook ends the turn, or null. */
export type RanCalls = { halt: string | null; faults: ReadonlyMap<string, Fault> };

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
): AsyncGenerator<AgentEvent, RanCalls> {
  yield { type: "phase", phase: "tools" };
  const step: Step = { news: new HookNews(), faults: new Map() };
  const { news, faults } = step;
  let readOnly: ReviewedCall[] = [];
  const runReadOnly = async function* (): AsyncGenerator<AgentEvent, void> {
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
): AsyncGenerator<AgentEvent, void> {
  const { session } = context;
  const { call, denial, fault }: Permit = signal.aborted
    ? { call: reviewed.call, denial: interrupted }
    : yield* permit(context, reviewed, signal);
  if (denial !== null) {
    if (fault) faults.set(call.id, fault);
    yield await session.record(toResultFact(call, failure(signal.aborted ? interrupted : denial)));
    return;
  }
  const { mode } = context.toolbox;
  const outcome = yield* runWatched(context, call, signal, new InnerCalls(context, call.id, news));
  if (context.toolbox.mode !== mode) yield { type: "mode", mode: context.toolbox.mode };
  const { checkpoint, facts = [], ...result } = outcome;
  yield* recordCheckpoint(context, call, checkpoint);
  try {
    yield await session.record(toResultFact(call, result));
  } catch (error) {
    // On a full disk it would keep the room that the log needs.
    await context.toolbox.discard?.(outcome);
    throw error;
  }
  news.facts.push(...facts);
  yield* afterTool(context, call, outcome, news, signal);
}

/**
 * `call`: with the input that was allowed. `denial`: why it does not run, for the model, or null;
 * `fault`: unless the denial is an answer to it.
 */
type Permit = { call: ToolUseBlock; denial: string | null; fault?: Fault };

async function* permit(
  context: ToolContext,
  reviewed: ReviewedCall,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Permit> {
  const { session, toolbox, approvals } = context;
  const { call, review: judged } = yield* judgedByHooks(context, reviewed, signal);
  if (judged.verdict === "allow") return { call, denial: null };
  if (judged.verdict === "refuse") {
    if (judged.isDenial) yield { type: "denied", toolUse: call.id };
    return { call, denial: judged.reason, fault: judged.isDenial ? "denied" : "wrong" };
  }
  const { id, name: tool, input } = call;
  const ask: Ask = { id, toolUse: id, tool, input, ...judged.ask };
  notify(context, ask, signal);
  const answer = yield* askUser(approvals, ask);
  const decision = answer.allow ? `allowed (${answer.scope})` : "denied";
  yield await session.record({
    type: "note",
    kind: "permission",
    text: `${decision}: ${summarizeAsk(ask)}`,
  });
  if (!answer.allow) {
    if (!signal.aborted) yield { type: "denied", toolUse: call.id };
    const { reason, isResult } = answer;
    const denial = isResult && reason ? reason : denied(reason);
    // Words of the user are an answer, not a wall.
    const isAnswer = reason && (!isResult || questions.has(tool));
    return { call, denial, ...(isAnswer ? {} : { fault: "denied" }) };
  }
  if (answer.scope !== "once") {
    try {
      toolbox.allowForSession(call, { save: answer.scope === "always" });
    } catch (error) {
      yield await session.record({ type: "note", kind: "permission", text: errorMessage(error) });
    }
  }
  return answer.input ? withInput(toolbox, call, answer.input) : { call, denial: null };
}

/** The call with an input that the user changed. What a rule denies stays denied. */
async function withInput(toolbox: Toolbox, call: ToolUseBlock, input: ToolInput): Promise<Permit> {
  const changed = { ...call, input };
  const review = await toolbox.review(changed);
  if (review.verdict !== "refuse") return { call: changed, denial: null };
  return { call: changed, denial: review.reason, fault: "denied" };
}

/**
 * Runs a call that the user makes through a command, not the model: judged and hooked like any
 * other, but its result is not an entry.
 */
export async function* runUnrecorded(
  context: ToolContext,
  requested: ToolUseBlock,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ToolOutcome> {
  const { call, permission } = yield* beforeTool(context, requested, new HookNews(), signal);
  const review = withPermission(await context.toolbox.review(call), call, permission);
  const permitted = signal.aborted
    ? { call, denial: interrupted }
    : yield* permit(context, { call, review }, signal);
  if (permitted.denial !== null) return failure(`(not run: ${permitted.denial})`);
  const outcome = yield* runWatched(context, permitted.call, signal);
  yield* recordCheckpoint(context, call, outcome.checkpoint);
  return outcome;
}

/** Logs the changes of a call, for a rewind. */
export async function* recordCheckpoint(
  { session, toolbox }: Pick<ToolContext, "session" | "toolbox">,
  { id: toolUse }: ToolUseBlock,
  files: ToolOutcome["checkpoint"] = [],
): AsyncGenerator<AgentEvent, void> {
  if (files.length > 0) yield await session.record({ type: "checkpoint", toolUse, files });
  await toolbox.logged?.();
}

/** Whether instructions may import a file that is not the project's: judged as if it were read. */
export async function* mayImport(
  context: ToolContext,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, boolean> {
  const id = `import-${path}`;
  const call: ToolUseBlock = { type: "tool_use", id, name: "Read", input: { file_path: path } };
  const review = await context.toolbox.review(call);
  if (review.verdict !== "ask") return review.verdict === "allow";
  const ask = { ...review.ask, title: `Import ${path} into the instructions` };
  const reviewed = { call, review: { ...review, ask } };
  return (yield* permit(context, reviewed, signal)).denial === null;
}

/** PermissionRequest hooks may answer for the user. */
async function* judgedByHooks(
  context: ToolContext,
  { call, review }: ReviewedCall,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ReviewedCall> {
  if (review.verdict !== "ask") return { call, review };
  const asked = yield* askHooks(context, "PermissionRequest", call, signal);
  const { permission } = asked;
  const { updatedInput } = asked.result;
  if (permission?.decision !== "allow" || !updatedInput)
    return { call, review: withPermission(review, call, permission) };
  const changed = { ...call, input: updatedInput };
  const again = withPermission(await context.toolbox.review(changed), changed, permission);
  // PreToolUse hooks have not seen this input.
  const guarded = yield* askHooks(context, "PreToolUse", changed, signal);
  return { call: changed, review: withPermission(again, changed, guarded.permission) };
}

/** The question does not wait for the hooks that announce it. */
function notify({ hooks }: ToolContext, ask: Ask, signal: AbortSignal): void {
  const message = `mini-claude needs your permission: ${summarizeAsk(ask)}`;
  const input = { message, notification_type: "permission_prompt" };
  hooks.run("Notification", input, { signal }).catch(() => undefined);
}

/** A question in one line; a command is named by its first line. */
function summarizeAsk({ title, detail, detailKind }: Ask): string {
  const line = detail.split("\n", 1)[0] ?? "";
  return detailKind === "command" ? `${title}: ${line}` : title;
}

/** Runs a call, reports its output as it grows, and lets the user send it to the background. */
export async function* runWatched(
  { toolbox, approvals }: Pick<ToolContext, "toolbox" | "approvals">,
  call: ToolUseBlock,
  signal: AbortSignal,
  inner?: InnerCalls,
): AsyncGenerator<AgentEvent, ToolOutcome> {
  return yield* emitted<AgentEvent, ToolOutcome>((emit) =>
    toolbox.run(call, {
      ...(inner && { call: (made: InnerCall) => inner.run(made, emit) }),
      signal,
      background: approvals.background(call.id),
      ask: async (ask) =>
        toolbox.mode === "dont-ask" ? { allow: false } : forward(askUser(approvals, ask), emit),
      progress: (tail, bytes) => emit({ type: "progress", toolUse: call.id, tail, bytes }),
    }),
  );
}

/** Tools whose result is what the user says. */
const questions: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

const interrupted = "Interrupted by the user before it finished.";

const denied = (reason?: string): string =>
  reason
    ? `The user denied this call and said: ${reason}`
    : "The user denied this call. Do not attempt it another way; ask what to do instead.";

const failure = (text: string): ToolOutcome => ({
  content: [{ type: "text", text }],
  bytes: Buffer.byteLength(text),
  lines: 1,
  isError: true,
});

const toResultFact = (call: ToolUseBlock, outcome: Omit<ToolOutcome, "checkpoint" | "facts">) =>
  ({ type: "result", toolUse: call.id, tool: call.name, ...outcome }) as const;

type Emit = (event: AgentEvent) => void;

/**
 * Runs the inner calls of one call. Those that only read run at once, the others one after another. Each
 * becomes a `step` entry, even when it is denied.
 */
class InnerCalls {
  readonly #context: ToolContext;
  readonly #outer: string;
  readonly #news: HookNews;
  #made = 0;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(context: ToolContext, outer: string, news: HookNews) {
    this.#context = context;
    this.#outer = outer;
    this.#news = news;
  }

  async run({ tool, input, signal }: InnerCall, emit: Emit): Promise<ToolOutcome> {
    const id = `${this.#outer}-${++this.#made}`;
    const requested: ToolUseBlock = { type: "tool_use", id, name: tool, input };
    const before = beforeTool(this.#context, requested, this.#news, signal);
    const { call, permission } = await forward(before, emit);
    const judge = async (): Promise<Review> =>
      withPermission(await this.#context.toolbox.review(call), call, permission);
    const review = await judge();
    if (review.verdict === "allow" && review.readOnly)
      return this.#step({ call, review }, emit, signal);
    const step = this.#latest.then(async () =>
      this.#step({ call, review: await judge() }, emit, signal),
    );
    this.#latest = step.catch(() => undefined);
    return step;
  }

  async #step(reviewed: ReviewedCall, emit: Emit, signal: AbortSignal): Promise<ToolOutcome> {
    const { session, toolbox } = this.#context;
    const startedMs = session.nowMs;
    const { call, denial } = signal.aborted
      ? { call: reviewed.call, denial: interrupted }
      : await forward(permit(this.#context, reviewed, signal), emit);
    const isDenied = denial !== null;
    const outcome = isDenied
      ? failure(signal.aborted ? interrupted : denial)
      : await forward(runWatched(this.#context, call, signal), emit);
    const { checkpoint, facts = [], loads: _, ...result } = outcome;
    if (checkpoint && checkpoint.length > 0)
      emit(await session.record({ type: "checkpoint", toolUse: call.id, files: checkpoint }));
    await toolbox.logged?.();
    const ms = session.nowMs - startedMs;
    const { id: toolUse, name: tool, input } = call;
    emit(
      await session.record({
        type: "step",
        outer: this.#outer,
        toolUse,
        tool,
        input,
        ms,
        ...result,
      }),
    );
    this.#news.facts.push(...facts);
    if (!isDenied) await forward(afterTool(this.#context, call, outcome, this.#news, signal), emit);
    return outcome;
  }
}
