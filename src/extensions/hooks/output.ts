/** A hook's answer, and how the answers of several hooks combine. */

import type { ToolInput } from "../../protocol/block.ts";
import type { ContextFact, Spent } from "../../protocol/entry.ts";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { once } from "../../base/once.ts";

type PermissionDecision = "allow" | "deny" | "ask";

export type HookOutput = {
  /** Reason to block the call or event. */
  block?: string;
  permission?: { decision: PermissionDecision; reason: string };
  /** Runs instead of the input of the call. */
  updatedInput?: ToolInput;
  /** For the model. */
  context?: string;
  /** For the model, as separate entries. */
  facts?: readonly ContextFact[];
  /** Why the turn must end. */
  stop?: string;
  /** For the user. */
  message?: string;
  /** The verdict of a model that was asked, for the user, and its cost. */
  judged?: { text: string; spent: Spent };
};

/** The answers of all hooks of an event. */
export type HookResult = {
  block: string | null;
  /** `isLimited`: only hooks of the project allow it. */
  permission: { decision: PermissionDecision; reason: string; isLimited: boolean } | null;
  updatedInput: ToolInput | null;
  context: string[];
  facts: ContextFact[];
  stop: string | null;
  messages: string[];
  judged: { text: string; spent: Spent }[];
};

export const emptyResult = (): HookResult => ({
  block: null,
  permission: null,
  updatedInput: null,
  context: [],
  facts: [],
  stop: null,
  messages: [],
  judged: [],
});

/** From the mildest to the strictest. */
const decisions: readonly PermissionDecision[] = ["allow", "ask", "deny"];

/** Adds one answer: the first block counts, and of permissions the strictest. */
export function addOutput(result: HookResult, output: HookOutput, isLimited: boolean): void {
  const { permission } = output;
  result.block ??= output.block ?? null;
  result.stop ??= output.stop ?? null;
  if (output.updatedInput) result.updatedInput = output.updatedInput;
  if (output.context) result.context.push(output.context);
  if (output.message) result.messages.push(output.message);
  if (output.judged) result.judged.push(output.judged);
  result.facts.push(...(output.facts ?? []));
  if (!permission) return;
  const before = result.permission;
  const isStricter =
    !before || decisions.indexOf(permission.decision) > decisions.indexOf(before.decision);
  // The user's own hook outranks one of the project.
  const isStronger = before?.isLimited && before.decision === permission.decision && !isLimited;
  if (isStricter || isStronger) result.permission = { ...permission, isLimited };
}

/** The JSON that a hook answers, as other agents define it. */
const schema = once(() => {
  const text = z.string().optional().catch(undefined);
  const input = z.record(z.string(), z.unknown()).optional().catch(undefined);

  return z.looseObject({
    continue: z.boolean().optional().catch(undefined),
    stopReason: text,
    systemMessage: text,
    decision: text,
    reason: text,
    hookSpecificOutput: z
      .looseObject({
        permissionDecision: z.enum(["allow", "deny", "ask"]).optional().catch(undefined),
        permissionDecisionReason: text,
        updatedInput: input,
        additionalContext: text,
        /** The answer to a PermissionRequest. */
        decision: z
          .looseObject({ behavior: z.enum(["allow", "deny"]), message: text, updatedInput: input })
          .optional()
          .catch(undefined),
      })
      .optional()
      .catch(undefined),
  });
});

/** Reads the JSON that a hook answers; null: it is not an object. */
export function parseOutput(json: unknown): HookOutput | null {
  const parsed = schema().safeParse(json);
  if (!parsed.success) return null;
  const { decision, reason, stopReason, systemMessage, hookSpecificOutput = {} } = parsed.data;
  const { decision: answer, additionalContext } = hookSpecificOutput;
  const permission = hookSpecificOutput.permissionDecision ?? answer?.behavior;
  const why = hookSpecificOutput.permissionDecisionReason ?? answer?.message ?? reason ?? "";
  const updatedInput = hookSpecificOutput.updatedInput ?? answer?.updatedInput;
  return {
    ...(decision === "block" ? { block: reason ?? "no reason given" } : {}),
    ...(decision === "approve" ? { permission: { decision: "allow", reason: why } } : {}),
    ...(permission ? { permission: { decision: permission, reason: why } } : {}),
    ...(updatedInput ? { updatedInput } : {}),
    ...(additionalContext ? { context: additionalContext } : {}),
    ...(parsed.data.continue === false ? { stop: stopReason ?? "no reason given" } : {}),
    ...(systemMessage ? { message: systemMessage } : {}),
  };
}

type ToolCall = { tool_name: string; tool_input: ToolInput; tool_use_id: string };
/** A cut of any tier. For a summary, the freed tokens and the cost are estimates. */
export type Compaction = {
  trigger: "manual" | "auto";
  tier: string;
  /** Results and inputs that are changed; turns that are summarized. */
  items: number;
  tokens_before: number;
  tokens_after: number;
  usd: number;
};
type TurnEnding = { stop_hook_active: boolean; last_assistant_message: string };

/** Why a session ends: the user starts another one, opens an earlier one, or quits. */
export type EndReason = "clear" | "resume" | "prompt_input_exit" | "other";

export type HookInputs = {
  SessionStart: { source: "startup" | "resume" | "compact" };
  UserPromptSubmit: { prompt: string };
  /** Before the first call of a turn, when history may be rewritten. */
  TurnStart: { used_tokens: number; effective_tokens: number };
  /** Before each call of the model. */
  BeforeCall: { used_tokens: number; effective_tokens: number };
  PreToolUse: ToolCall;
  /** Before the user is asked whether a call may run. */
  PermissionRequest: ToolCall;
  PostToolUse: ToolCall & { tool_response: unknown };
  /** Instead of PostToolUse when the call failed. */
  PostToolUseFailure: ToolCall & { error: string };
  /** Every call of an answer has its result. */
  AfterTools: { tool_calls: readonly ToolCall[] };
  Notification: { message: string; notification_type: string };
  /** The turn is about to end; a hook that blocks makes the agent continue. */
  Stop: TurnEnding;
  SubagentStop: TurnEnding & { agent_id: string; agent_type: string };
  TurnEnd: { why: "done" | "stopped" | "failed" };
  PreCompact: Compaction & { custom_instructions: string };
  PostCompact: Compaction & { compact_summary: string };
  SessionEnd: { reason: EndReason };
};

export type HookEvent = keyof HookInputs;

/** By event: the text that a matcher is compared with; null: the event has no matcher. */
const subjects: { [E in HookEvent]: ((input: HookInputs[E]) => string) | null } = {
  SessionStart: ({ source }) => source,
  UserPromptSubmit: null,
  TurnStart: null,
  BeforeCall: null,
  PreToolUse: ({ tool_name }) => tool_name,
  PermissionRequest: ({ tool_name }) => tool_name,
  PostToolUse: ({ tool_name }) => tool_name,
  PostToolUseFailure: ({ tool_name }) => tool_name,
  AfterTools: null,
  Notification: ({ notification_type }) => notification_type,
  Stop: null,
  SubagentStop: ({ agent_type }) => agent_type,
  TurnEnd: null,
  PreCompact: ({ trigger }) => trigger,
  PostCompact: ({ trigger }) => trigger,
  SessionEnd: ({ reason }) => reason,
};

/** The text that a matcher is compared with; null: every matcher matches. */
export const selectSubject = <E extends HookEvent>(event: E, input: HookInputs[E]): string | null =>
  subjects[event]?.(input) ?? null;

export const isHookEvent = (name: string): name is HookEvent => Object.hasOwn(subjects, name);

/** A subagent's tool calls are like any others; its session and its turns are not the user's. */
export const isForSubagents = (event: HookEvent): boolean =>
  /ToolUse|Permission|Compact/.test(event);

/** In the order of a session. */
export const hookEvents = Object.keys(subjects).filter(isHookEvent);

/**
 * The test of a matcher such as `Bash`, `Edit|Write` or `mcp__.*`; null when it is not a regular
 * expression. Plain names must be equal; anything else is a regular expression. Empty and `*` match all.
 */
export function compileMatcher(text: string | undefined): ((subject: string) => boolean) | null {
  if (text === undefined || text === "" || text === "*") return () => true;
  if (/^[\w|-]+$/.test(text)) {
    const names = text.split("|");
    return (subject) => names.includes(subject);
  }
  const pattern = attempt(() => new RegExp(text), null);
  return pattern && ((subject) => pattern.test(subject));
}
