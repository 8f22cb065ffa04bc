/** A question of the agent, as an editor asks it. */

import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import { toolCallOf } from "./tool-call.ts";

export function permissionRequest(
  sessionId: string,
  ask: Ask,
  cwd: string,
): RequestPermissionRequest {
  const { toolUse, tool: name, input } = ask;
  const about: ToolCallUpdate = input
    ? toolCallOf({ type: "tool_use", id: toolUse, name, input }, cwd)
    : { toolCallId: ask.id };
  // What would run, where nothing else shows it.
  const detail = about.content ? undefined : ask.detail || undefined;
  const warnings = [detail, ask.warning, ask.access].filter((text) => text !== undefined);
  const notes = warnings.map((text) => {
    return { type: "content" as const, content: { type: "text" as const, text } };
  });
  return {
    sessionId,
    toolCall: { ...about, title: ask.title, content: [...(about.content ?? []), ...notes] },
    options: optionsFor(ask),
  };
}

function optionsFor({ rule, always }: Ask): PermissionOption[] {
  return [
    { optionId: "once", name: "Allow", kind: "allow_once" },
    ...(rule === null || rule === ""
      ? []
      : [
          {
            optionId: "session",
            name: `Allow for this session: ${rule}`,
            kind: "allow_always" as const,
          },
        ]),
    ...(always
      ? [{ optionId: "always", name: `Always allow ${always.rule}`, kind: "allow_always" as const }]
      : []),
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

const scopes = ["once", "session", "always"] as const;

export function answerOf({ outcome }: RequestPermissionResponse): Answer {
  if (outcome.outcome !== "selected") return { allow: false };
  const scope = scopes.find((name) => name === outcome.optionId);
  return scope ? { allow: true, scope } : { allow: false };
}
