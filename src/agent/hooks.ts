/**
 * Runs hooks and records their messages to the user and to the model. Four hook events are the boundaries of
 * a turn: its start, before each call, after the tools of an answer, its end. Others run around one tool call.
 */

import type { HookEvent, HookInputs, HookResult } from "../extensions/hooks/output.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import { blockText, findFilePath, type ToolInput, type ToolUseBlock } from "../protocol/block.ts";
import { takeStart } from "../base/clip.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact } from "../protocol/entry.ts";
import type { Events } from "../protocol/event.ts";
import type { Review, Toolbox, ToolOutcome } from "../tools/tool.ts";
import type { Session } from "./session.ts";

export type HookContext = { session: Session; hooks: HookRegistry };

/** Limit on the characters of one hook's output that reach the model. */
const maxContextChars = 10_000;

/** Runs the hooks of an event and records their messages to the user. */
export async function* runHooks<E extends HookEvent>(
  { session, hooks }: HookContext,
  event: E,
  input: HookInputs[E],
  signal: AbortSignal,
  normalize?: (input: ToolInput) => ToolInput,
): Events<HookResult> {
  const result = yield* hooks.stream(event, input, { signal, normalize });
  for (const text of result.messages)
    yield await session.record({ type: "note", kind: "warning", text });
  for (const { text, spent } of result.judged)
    yield await session.record({ type: "note", kind: "info", text, spent });
  return result;
}

/** The output of an event's hooks for the model. */
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

/** Window usage as hook input. */
export function fullness({ reading }: Session): HookInputs["TurnStart"] {
  return { used_tokens: reading.usedTokens, effective_tokens: reading.effectiveTokens };
}

/** The tool calls of an answer as hook input. */
export const callsAsInput = (calls: readonly ToolUseBlock[]): HookInputs["AfterTools"] => ({
  tool_calls: calls.map(({ id, name, input }) => {
    return { tool_name: name, tool_input: input, tool_use_id: id };
  }),
});

type Permission = HookResult["permission"];

/** Collects hook output over the tool calls of one answer. */
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

/** A tool call as hook input. */
const hookInput = ({ toolbox }: ToolHookContext, call: ToolUseBlock) => ({
  tool_name: call.name,
  tool_input: toolbox.fullInput(call),
  tool_use_id: call.id,
});

/** The hooks' decision about a call. A block or a stop counts as a denial. */
function toPermission(result: HookResult): Permission {
  const { block, stop, permission } = result;
  const refusal = block ?? stop;
  if (refusal !== null) return { decision: "deny", reason: refusal, isLimited: false };
  return permission;
}

/** Runs hooks that decide about a call. An input changed by one hook is passed to the next. */
export async function* askHooks(
  context: ToolHookContext,
  event: "PreToolUse" | "PermissionRequest",
  call: ToolUseBlock,
  signal: AbortSignal,
): Events<{ result: HookResult; permission: Permission }> {
  const normalize = (input: ToolInput) => context.toolbox.fullInput({ ...call, input });
  const result = yield* runHooks(context, event, hookInput(context, call), signal, normalize);
  return { result, permission: toPermission(result) };
}

/** Runs the PreToolUse hooks. Returns the call, with its input as they changed it, and their decision. */
export async function* beforeTool(
  context: ToolHookContext,
  requested: ToolUseBlock,
  news: HookNews,
  signal: AbortSignal,
): Events<{ call: ToolUseBlock; permission: Permission }> {
  // Hooks and rules match our tool names, not those of other agents.
  const call = context.toolbox.ownCall?.(requested) ?? requested;
  const { result, permission } = yield* askHooks(context, "PreToolUse", call, signal);
  news.add("PreToolUse", result);
  if (!result.updatedInput) return { call, permission };
  const text = `A PreToolUse hook changed the input of ${call.name}.`;
  yield await context.session.record({ type: "note", kind: "info", text });
  return { call: { ...call, input: result.updatedInput }, permission };
}

/** Applies the hooks' decision to the review of a call. No hook overrides a deny rule. */
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
  // Hooks of a project cannot allow calls that always ask, such as access to secrets.
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

/** A tool result in the shape that hooks written for other agents expect. */
function toResponse({ tool_name, tool_input }: ReturnType<typeof hookInput>, text: string) {
  if (tool_name === "Bash") return { stdout: text, stderr: "", interrupted: false, isImage: false };
  const filePath = findFilePath(tool_input);
  return { content: text, ...(filePath === null ? {} : { filePath }) };
}
