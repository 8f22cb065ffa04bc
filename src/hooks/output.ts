/** What a hook answers, and how the answers of several hooks combine. */

import type { ToolInput } from "../protocol/block.ts";
import type { ContextFact } from "../protocol/entry.ts";

type PermissionDecision = "allow" | "deny" | "ask";

export type HookOutput = {
  /** Why it must not be done. */
  block?: string;
  permission?: { decision: PermissionDecision; reason: string };
  /** Runs instead of the input of the call. */
  updatedInput?: ToolInput;
  /** For the model. */
  context?: string;
  /** For the model, as entries of their own. */
  facts?: readonly ContextFact[];
  /** Why the turn must end. */
  stop?: string;
  /** For the user. */
  message?: string;
};

/** The answers of all hooks of an event. */
export type HookResult = {
  block: string | null;
  /** `isLimited`: only hooks of the project allow it. */
  permission: { decision: PermissionDecision; reason: string; isLimited: boolean } | null;
  updatedInput: ToolInput | null;
  /** A hook of the project chose the input, which those of the user have not seen. */
  isInputLimited: boolean;
  context: string[];
  facts: ContextFact[];
  stop: string | null;
  messages: string[];
};

export const emptyResult = (): HookResult => ({
  block: null,
  permission: null,
  updatedInput: null,
  isInputLimited: false,
  context: [],
  facts: [],
  stop: null,
  messages: [],
});

const rank: Record<PermissionDecision, number> = { deny: 2, ask: 1, allow: 0 };

/** Adds one answer: the first block counts, and of permissions the strictest. */
export function addOutput(result: HookResult, output: HookOutput, isLimited: boolean): void {
  const { permission } = output;
  result.block ??= output.block ?? null;
  result.stop ??= output.stop ?? null;
  if (output.updatedInput) {
    result.updatedInput = output.updatedInput;
    result.isInputLimited = isLimited;
  }
  if (output.context) result.context.push(output.context);
  if (output.message) result.messages.push(output.message);
  result.facts.push(...(output.facts ?? []));
  if (!permission) return;
  const before = result.permission;
  const isStricter = !before || rank[permission.decision] > rank[before.decision];
  // The user's own hook outranks one of the project.
  const isStronger = before?.isLimited && before.decision === permission.decision && !isLimited;
  if (isStricter || isStronger) result.permission = { ...permission, isLimited };
}
