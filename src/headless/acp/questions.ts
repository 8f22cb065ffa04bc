/** Questions of the agent in an editor, as a choice of options. */

import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import type { Approve } from "../answering.ts";
import { toCallContent, toToolCall } from "./updates.ts";

type AskedQuestion = { client: Pick<AgentContext, "request">; session: string; cwd: string };

/** Has the user of an editor answer. */
export const askEditor =
  ({ client, session, cwd }: AskedQuestion): Approve =>
  async (ask, cancellationSignal) => {
    const request = permissionRequest(session, ask, cwd);
    return readPermission(
      await client.request("session/request_permission", request, { cancellationSignal }),
      ask,
    );
  };

function permissionRequest(sessionId: string, ask: Ask, cwd: string): RequestPermissionRequest {
  const { toolUse, tool: name, input } = ask;
  const about: ToolCallUpdate = input
    ? toToolCall({ type: "tool_use", id: toolUse, name, input }, cwd)
    : { toolCallId: ask.id };
  // The command that would run, where nothing else shows it.
  const detail = about.content ? undefined : ask.detail || undefined;
  const warnings = [detail, ask.warning, ask.access].filter((text) => text !== undefined);
  const notes = warnings.map((text) => toCallContent({ type: "text", text }));
  return {
    sessionId,
    toolCall: { ...about, title: ask.title, content: [...(about.content ?? []), ...notes] },
    options: optionsFor(ask),
  };
}

function optionsFor({ rule, always, poll }: Ask): PermissionOption[] {
  if (poll)
    return [
      ...poll.options.map(({ label, description: more }, at): PermissionOption => ({
        optionId: String(at),
        name: more === undefined ? label : `${label}: ${more}`,
        kind: "allow_once",
      })),
      { optionId: "no", name: "Do not answer", kind: "reject_once" },
    ];
  const options: PermissionOption[] = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
  const allow = (optionId: string, name: string): void =>
    void options.push({ optionId, name, kind: "allow_always" });
  if (rule) allow("session", `Allow for this session: ${rule}`);
  if (always) allow("always", `Always allow ${always.rule}`);
  return [...options, { optionId: "no", name: "Reject", kind: "reject_once" }];
}

const scopes = ["once", "session", "always"] as const;

function readPermission({ outcome }: RequestPermissionResponse, { poll }: Ask): Answer {
  if (outcome.outcome !== "selected") return { allow: false };
  const picked = poll?.options[Number(outcome.optionId)];
  if (picked) return { allow: true, scope: "once", input: { answer: picked.label } };
  const scope = scopes.find((name) => name === outcome.optionId);
  return scope ? { allow: true, scope } : { allow: false };
}
