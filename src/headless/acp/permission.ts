/** A question of the agent, as an editor asks it. */

import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import { contentOf, toolCallOf } from "./tool-call.ts";

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
  const notes = warnings.map((text) => contentOf({ type: "text", text }));
  return {
    sessionId,
    toolCall: { ...about, title: ask.title, content: [...(about.content ?? []), ...notes] },
    options: optionsFor(ask),
  };
}

function optionsFor({ rule, always }: Ask): PermissionOption[] {
  const options: PermissionOption[] = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
  const allow = (optionId: string, name: string): void =>
    void options.push({ optionId, name, kind: "allow_always" });
  if (rule) allow("session", `Allow for this session: ${rule}`);
  if (always) allow("always", `Always allow ${always.rule}`);
  return [...options, { optionId: "no", name: "Reject", kind: "reject_once" }];
}

const scopes = ["once", "session", "always"] as const;

export function answerOf({ outcome }: RequestPermissionResponse): Answer {
  if (outcome.outcome !== "selected") return { allow: false };
  const scope = scopes.find((name) => name === outcome.optionId);
  return scope ? { allow: true, scope } : { allow: false };
}
