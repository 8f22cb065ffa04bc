/**
 * Hooks inside the agent: their events, what they say to the user, and what they say to the model. The four
 * boundaries of a turn are hook events: its start, before each call, after the tools of an answer, its end.
 * Others run around one tool call.
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

/** Characters of one hook's output that the model is shown. */
const maxContextChars = 10_000;

/** Runs the hooks of an event; what they say to the user is recorded. */
export async function* runHooks<E extends HookEvent>(
  { session, hooks }: HookContext,
  event: E,
  input: HookInputs[E],
  signal: AbortSignal,
  understood?: (input: ToolInput) => ToolInput,
): Events<HookResult> {
  const result = yield* hooks.stream(event, input, { signal, understood });
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

/** How full the window is, as hooks are told. */
export function fullness({ reading }: Session): HookInputs["TurnStart"] {
  return { used_tokens: reading.usedTokens, effective_tokens: reading.effectiveTokens };
}

/** The calls of an answer, as hooks are told. */
export const callsAsInput = (calls: readonly ToolUseBlock[]): HookInputs["AfterTools"] => ({
  tool_calls: calls.map(({ id, name, input }) => {
    return { tool_name: name, tool_input: input, tool_use_id: id };
  }),
});

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
