/** Questions of the agent in an editor: a form where it has those, else a choice of options. */

import type {
  AgentContext,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { isRecord } from "../../base/guards.ts";
import type { Answer } from "../../protocol/command.ts";
import type { Ask, Poll } from "../../protocol/event.ts";
import type { Approve } from "../answering.ts";
import { toCallContent, toToolCall } from "./updates.ts";

type AskedQuestion = {
  client: Pick<AgentContext, "request">;
  fillsForms: boolean;
  session: string;
  cwd: string;
};

/** Has the user of an editor answer. */
export const askEditor =
  ({ client, fillsForms, session, cwd }: AskedQuestion): Approve =>
  async (ask, cancellationSignal) => {
    const { poll } = ask;
    if (fillsForms && poll) {
      const request = formRequest(session, ask, poll);
      return readForm(
        await client.request("elicitation/create", request, { cancellationSignal }),
        poll,
      );
    }
    const request = permissionRequest(session, ask, cwd);
    return readPermission(
      await client.request("session/request_permission", request, { cancellationSignal }),
      ask,
    );
  };

/** The fields of a question with choices; the model's plan is a text to edit. */
const choice = "answer";
const words = "words";
const plan = "plan";

export function formRequest(
  sessionId: string,
  { title, detail, toolUse }: Ask,
  poll: Poll,
): CreateElicitationRequest {
  return {
    mode: "form",
    sessionId,
    toolCallId: toolUse,
    message: poll.editable === undefined && detail !== "" ? `${title}: ${detail}` : title,
    requestedSchema: { type: "object", properties: pollFields(poll), required: [] },
  };
}

function pollFields({ options, takesSeveral, editable }: Poll) {
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description !== undefined && { description }),
  }));
  const fields: Record<string, ElicitationPropertySchema> = {
    [choice]: takesSeveral
      ? { type: "array", title: "Answers", items: { anyOf: choices } }
      : { type: "string", title: "Answer", oneOf: choices },
    [words]: { type: "string", title: "Or in your own words" },
  };
  if (editable !== undefined)
    fields[plan] = { type: "string", title: "The plan", default: editable };
  return fields;
}

export function readForm(response: CreateElicitationResponse, { editable }: Poll): Answer {
  const content = "content" in response ? response.content : null;
  if (response.action !== "accept" || !isRecord(content)) return { allow: false };
  const picked = content[choice];
  const said = content[words];
  const own = typeof said === "string" ? said.trim() : "";
  const answer = own || (Array.isArray(picked) ? picked.join(", ") : picked);
  if (typeof answer !== "string" || answer === "") return { allow: false };
  const edited = content[plan];
  const text = editable !== undefined && typeof edited === "string" ? { text: edited } : {};
  return { allow: true, scope: "once", input: { answer, ...text } };
}

export function permissionRequest(
  sessionId: string,
  ask: Ask,
  cwd: string,
): RequestPermissionRequest {
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

export function readPermission({ outcome }: RequestPermissionResponse, { poll }: Ask): Answer {
  if (outcome.outcome !== "selected") return { allow: false };
  const picked = poll?.options[Number(outcome.optionId)];
  if (picked) return { allow: true, scope: "once", input: { answer: picked.label } };
  const scope = scopes.find((name) => name === outcome.optionId);
  return scope ? { allow: true, scope } : { allow: false };
}
