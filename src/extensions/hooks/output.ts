/** A hook's answer, and how the answers of several hooks combine. */

import type { ToolInput } from "../../protocol/block.ts";
import type { ContextFact, Spent } from "../../protocol/entry.ts";
import { z } from "zod";

type PermissionDecision = "allow" | "deny" | "ask";

export type HookOutput = {
  /** Why it must not be done. */
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
const text = z.string().optional().catch(undefined);
const input = z.record(z.string(), z.unknown()).optional().catch(undefined);

const schema = z.looseObject({
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

/** Reads the JSON that a hook answers; null: it is not an object. */
export function parseOutput(json: unknown): HookOutput | null {
  const parsed = schema.safeParse(json);
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
