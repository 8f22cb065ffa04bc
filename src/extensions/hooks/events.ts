/** The moments at which hooks run, and what each is given, in the names of the JSON on standard input. */

import { attempt } from "../../base/guards.ts";
import type { ToolInput } from "../../protocol/block.ts";

type ToolCall = { tool_name: string; tool_input: ToolInput; tool_use_id: string };
/** A cut of any tier. Of a summary, what it frees and costs is an estimate. */
export type Compaction = {
  trigger: "manual" | "auto";
  tier: string;
  /** Results and inputs that are changed; messages that are summarized. */
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
