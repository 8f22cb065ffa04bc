/** The JSON that a hook answers, as other agents define it. */

import { z } from "zod";
import type { HookOutput } from "./output.ts";

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
