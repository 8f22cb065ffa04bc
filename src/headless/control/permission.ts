/** A question of the agent as the request `can_use_tool`, and the client's answer. */

import { z } from "zod";
import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import { errorMessage } from "../../base/format.ts";
import { modeNamed, type PermissionMode } from "../../protocol/permission.ts";

/** The request for a question about a call. */
export function canUseTool(ask: Ask) {
  const { always, title, warning, description, input = {} } = ask;
  return {
    subtype: "can_use_tool",
    tool_name: ask.tool,
    input,
    tool_use_id: ask.toolUse,
    ...(ask.subagent === undefined ? {} : { agent_id: ask.subagent }),
    title,
    ...(description === undefined ? {} : { description }),
    ...(warning === undefined ? {} : { decision_reason: warning }),
    ...(ask.rule === null ? {} : { permission_suggestions: [suggestion(ask.tool, always?.rule)] }),
  };
}

/** "Yes for this session", as the rule that it adds. */
function suggestion(tool: string, rule: string | undefined) {
  const [, toolName = tool, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(rule ?? "") ?? [];
  const about = ruleContent === undefined ? {} : { ruleContent };
  return {
    type: "addRules",
    rules: [{ toolName, ...about }],
    behavior: "allow",
    destination: "session",
  };
}

const update = z.looseObject({
  type: z.string(),
  destination: z.string().optional(),
  behavior: z.string().optional(),
  mode: z.string().optional(),
});

const responseSchema = z.discriminatedUnion("behavior", [
  z.object({
    behavior: z.literal("allow"),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(update).nullish(),
  }),
  z.object({
    behavior: z.literal("deny"),
    message: z.string().default("The user denied this call."),
    interrupt: z.boolean().nullish(),
  }),
]);

export type Decision = {
  answer: Answer;
  /** The client changes the permission mode with its answer. */
  mode?: PermissionMode;
  /** The turn ends, too. */
  interrupts: boolean;
};

const denied = (reason: string): Decision => ({
  answer: { allow: false, reason },
  interrupts: false,
});

/** Reads the client's decision. An answer that cannot be read is a denial. */
export function readDecision(response: unknown): Decision {
  const { data, error } = responseSchema.safeParse(response);
  if (!data) return denied(`The client's answer was not valid: ${z.prettifyError(error)}`);
  if (data.behavior === "deny") {
    const answer: Answer = { allow: false, reason: data.message, isResult: true };
    return { answer, interrupts: data.interrupt ?? false };
  }
  const updates = data.updatedPermissions ?? [];
  const mode = modeNamed(updates.find(({ type }) => type === "setMode")?.mode);
  const rule = updates.find(({ type, behavior }) => type === "addRules" && behavior === "allow");
  const input = data.updatedInput ?? undefined;
  const answer: Answer = {
    allow: true,
    scope: rule === undefined ? "once" : rule.destination === "session" ? "session" : "always",
    ...(input === undefined ? {} : { input }),
  };
  return { answer, interrupts: false, ...(mode === undefined ? {} : { mode }) };
}

/** The decision of a request that failed. */
export const failedDecision = (error: unknown): Decision => denied(errorMessage(error));
