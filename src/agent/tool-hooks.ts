/** Hooks around one tool call. */

import type { HookResult } from "../extensions/hooks/output.ts";
import { findFilePath, blockText, type ToolInput, type ToolUseBlock } from "../protocol/block.ts";
import type { ContextFact } from "../protocol/entry.ts";
import type { Events } from "../protocol/event.ts";
import type { Review, Toolbox, ToolOutcome } from "../tools/tool.ts";
import { listContext, hookContext, runHooks, type HookContext } from "./hooks.ts";

type Permission = HookResult["permission"];

/** Hook output about the calls of one answer. */
export class HookNews {
  /** For the model, once every call has its result. */
  readonly facts: ContextFact[] = [];
  /** Why the turn ends after these calls. */
  stop: string | null = null;

  add(event: "PreToolUse" | "PostToolUse" | "PostToolUseFailure", result: HookResult): void {
    for (const fact of listContext(event, result)) {
      const isKnown = this.facts.some(
        ({ kind, title }) => kind === "instructions" && kind === fact.kind && title === fact.title,
      );
      if (!isKnown) this.facts.push(fact);
    }
    this.stop ??= result.stop;
  }
}

type ToolHookContext = HookContext & { toolbox: Pick<Toolbox, "fullInput" | "ownCall"> };

/** A call as hooks are given it. */
const hookInput = ({ toolbox }: ToolHookContext, call: ToolUseBlock) => ({
  tool_name: call.name,
  tool_input: toolbox.fullInput(call),
  tool_use_id: call.id,
});

/** The hooks' decision about a call: one that blocks denies it. */
function toPermission(result: HookResult): Permission {
  const { block, stop, permission } = result;
  const refusal = block ?? stop;
  if (refusal !== null) return { decision: "deny", reason: refusal, isLimited: false };
  return permission;
}

/** Has the hooks decide about a call; an input that they choose is what the later ones see. */
export async function* askHooks(
  context: ToolHookContext,
  event: "PreToolUse" | "PermissionRequest",
  call: ToolUseBlock,
  signal: AbortSignal,
): Events<{ result: HookResult; permission: Permission }> {
  const understood = (input: ToolInput) => context.toolbox.fullInput({ ...call, input });
  const result = yield* runHooks(context, event, hookInput(context, call), signal, understood);
  return { result, permission: toPermission(result) };
}

/** Runs the PreToolUse hooks: the call with the input that they want, and whether it may run. */
export async function* beforeTool(
  context: ToolHookContext,
  requested: ToolUseBlock,
  news: HookNews,
  signal: AbortSignal,
): Events<{ call: ToolUseBlock; permission: Permission }> {
  // Hooks and rules name our tools.
  const call = context.toolbox.ownCall?.(requested) ?? requested;
  const { result, permission } = yield* askHooks(context, "PreToolUse", call, signal);
  news.add("PreToolUse", result);
  if (!result.updatedInput) return { call, permission };
  const text = `A PreToolUse hook changed the input of ${call.name}.`;
  yield await context.session.record({ type: "note", kind: "info", text });
  return { call: { ...call, input: result.updatedInput }, permission };
}

/** The review of a call with what hooks decided. No hook overrides a rule that denies. */
export function withPermission(review: Review, call: ToolUseBlock, permission: Permission): Review {
  if (!permission || review.verdict === "refuse") return review;
  const { decision, reason, isLimited } = permission;
  if (decision === "deny")
    return { verdict: "refuse", reason: `A hook blocked this call: ${reason}`, isDenial: true };
  if (decision === "ask") {
    if (review.verdict === "ask") return review;
    const detail = JSON.stringify(call.input, null, 2);
    const warning = `A hook asks you to decide${reason === "" ? "." : `: ${reason}`}`;
    const ask = { title: call.name, detail, detailKind: "text" as const, warning, rule: null };
    return { verdict: "ask", readOnly: review.readOnly, ask };
  }
  if (review.verdict === "allow") return review;
  // A project cannot allow what is asked about every time, such as access to secrets.
  if (isLimited && review.ask.rule === null) return review;
  return { verdict: "allow", readOnly: review.readOnly };
}

/** Runs the hooks of a finished call. */
export async function* afterTool(
  context: ToolHookContext,
  call: ToolUseBlock,
  outcome: ToolOutcome,
  news: HookNews,
  signal: AbortSignal,
): Events {
  const text = blockText(outcome.content);
  const input = hookInput(context, call);
  const result = outcome.isError
    ? yield* runHooks(context, "PostToolUseFailure", { ...input, error: text }, signal)
    : yield* runHooks(
        context,
        "PostToolUse",
        { ...input, tool_response: toResponse(input, text) },
        signal,
      );
  const event = outcome.isError ? "PostToolUseFailure" : "PostToolUse";
  news.add(event, result);
  if (result.block !== null) news.facts.push(hookContext(event, `${call.name}: ${result.block}`));
}

/** The shapes in which hooks of other agents expect a result. */
function toResponse({ tool_name, tool_input }: ReturnType<typeof hookInput>, text: string) {
  if (tool_name === "Bash") return { stdout: text, stderr: "", interrupted: false, isImage: false };
  const filePath = findFilePath(tool_input);
  return { content: text, ...(filePath === null ? {} : { filePath }) };
}
