/** Asks the user about a call that is not allowed yet. */

import type { ToolInput, ToolUseBlock } from "../protocol/block.ts";
import type { Ask, Events } from "../protocol/event.ts";
import { errorMessage } from "../base/format.ts";
import type { Review, Toolbox, ToolOutcome } from "../tools/tool.ts";
import { askUser, type ApprovalGate } from "./approvals.ts";
import type { Fault } from "./progress.ts";
import { askHooks, withPermission, type HookContext } from "./hooks.ts";

export type ToolContext = HookContext & { toolbox: Toolbox; approvals: ApprovalGate };

export type ReviewedCall = { call: ToolUseBlock; review: Review };

/**
 * `call`: with the input that was allowed. `denial`: why it does not run, for the model, or null;
 * `fault`: unless the denial is an answer to it.
 */
export type Permit = { call: ToolUseBlock; denial: string | null; fault?: Fault };

export async function* permit(
  context: ToolContext,
  reviewed: ReviewedCall,
  signal: AbortSignal,
): Events<Permit> {
  if (signal.aborted) return { call: reviewed.call, denial: interrupted };
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

/** Whether instructions may import a file that is not the project's: judged as if it were read. */
export async function* mayImport(
  context: ToolContext,
  path: string,
  signal: AbortSignal,
): Events<boolean> {
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
): Events<ReviewedCall> {
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

/** Tools whose result is what the user says. */
const questions: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

export const interrupted = "Interrupted by the user before it finished.";

const denied = (reason?: string): string =>
  reason
    ? `The user denied this call and said: ${reason}`
    : "The user denied this call. Do not attempt it another way; ask what to do instead.";

export const failure = (text: string): ToolOutcome => ({
  content: [{ type: "text", text }],
  bytes: Buffer.byteLength(text),
  lines: 1,
  isError: true,
});
