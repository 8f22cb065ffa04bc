/** One session in an editor: a run that it drives. */

import {
  type AgentContext,
  type ContentBlock,
  type PermissionOption,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { resumedModel } from "../../agent/opening.ts";
import { openRun, startForProgram } from "../../run/open-run.ts";
import type { Environment } from "../../base/environment.ts";
import { attempt } from "../../base/guards.ts";
import type { Flags } from "../../config/flags.ts";
import { sessionNamed } from "../../config/flags.ts";
import { toCallContent, toToolCall, Updates } from "./updates.ts";
import { type Approve, answering } from "../answering.ts";
import { peekable, toCommand } from "../print/print.ts";
import { writeError } from "../print/output.ts";
import { knownModels } from "../../model/catalog.ts";
import { imageMediaTypes, type UserBlock } from "../../protocol/block.ts";
import type { AgentCommand, Answer } from "../../protocol/command.ts";
import type { Ask, TurnEnd } from "../../protocol/event.ts";

export type AcpOpenOptions = {
  cwd: string;
  addedFolders: readonly string[];
  /** MCP servers of the editor: the content of a file `.mcp.json`. */
  mcpConfig: string | null;
  /** The session to continue; null: a new one. */
  session: string | null;
};

export type AcpSession = Awaited<ReturnType<typeof openSession>>;

/** `flags` are those of the whole process. Rejects with a sentence. */
export async function openSession(
  { cwd, addedFolders, mcpConfig, session }: AcpOpenOptions,
  { flags, env }: { flags: Flags; env: Environment },
  client: Pick<AgentContext, "notify" | "request">,
) {
  const configs = [...flags.mcp.configs, ...(mcpConfig ? [mcpConfig] : [])];
  const ofSession = { ...flags, session: sessionNamed(session), mcp: { ...flags.mcp, configs } };
  const start = await startForProgram(ofSession, env, cwd);
  const addDirs = [...start.settings.addDirs, ...addedFolders];
  const options = { ...start, settings: { ...start.settings, addDirs } };
  let approve: Approve = async () => ({ allow: false });
  const opened = await openRun(options, {
    name: randomUUID(),
    staysOpen: true,
    askInBackground: (ask, signal) => approve(ask, signal),
  });
  const { log, run, send, notices } = opened;
  for (const sentence of notices) writeError(`${sentence}\n`);
  const custom = await run.commands();
  const history = [...log.path];
  const updates = new Updates(cwd);
  approve = async (ask, cancellationSignal) => {
    const request = permissionRequest(log.session, ask, cwd);
    const options = { cancellationSignal };
    return readPermission(
      await client.request("session/request_permission", request, options),
      ask,
    );
  };
  const events = peekable(answering(opened.events, send, approve));
  let effort = options.settings.effort ?? null;
  let busy: Promise<unknown> = Promise.resolve();
  /** Prompts and changes that wait or are at work. */
  let asked = 0;

  async function notify(changes: readonly SessionUpdate[]): Promise<void> {
    for (const update of changes)
      await client.notify("session/update", { sessionId: log.session, update });
  }

  async function notifyUsage(): Promise<void> {
    const { usedTokens: used, windowTokens: size, cost } = opened.meter();
    const total = { amount: cost.session, currency: "USD" };
    await notify([{ sessionUpdate: "usage_update", used, size, cost: total }]);
  }

  async function untilIdle(): Promise<TurnEnd> {
    for (;;) {
      const { value: event, done } = await events.next();
      if (done) return { why: "failed" };
      if (event.type === "idle") return event;
      await notify(updates.of(event));
    }
  }

  async function turn(content: UserBlock[]): Promise<StopReason> {
    send(toCommand(content));
    const end = await untilIdle();
    await notifyUsage();
    if (end.why === "stopped") return "cancelled";
    if (end.why === "done") return "end_turn";
    if (end.limit === "turns") return "max_turn_requests";
    throw RequestError.internalError({}, end.message ?? "The turn failed.");
  }

  /** One after the other, even if one fails. */
  function next<T>(work: () => Promise<T>): Promise<T> {
    asked += 1;
    const done = busy.then(work).finally(() => (asked -= 1));
    busy = done.catch(() => undefined);
    return done;
  }

  /** Tells what happens unasked: the agent begins a turn when a command in the background ends. */
  async function tellUnasked(): Promise<void> {
    for (;;) {
      const { value: event, done } = await events.peek();
      if (done) return;
      if (asked > 0) await busy;
      else if (event.type === "phase" && event.phase === "starting")
        await next(async () => {
          await untilIdle();
          await notifyUsage();
        });
      else {
        await events.next();
        await notify(updates.of(event));
      }
    }
  }
  // Fails if the editor has disconnected.
  tellUnasked().catch(() => undefined);

  return {
    id: log.session,
    models: run.modelName.startsWith("claude") ? knownModels : [run.modelName],
    /** The current choices. `effort` null: the model's own default. */
    choice: () => ({ model: resumedModel(log) ?? run.modelName, effort }),
    mode: () => run.toolbox.mode,
    send,

    /** Runs a turn. Resolves after its last update; rejects with what went wrong. */
    prompt: (content: UserBlock[]): Promise<StopReason> => next(() => turn(content)),

    /** Changes something for the next turn. */
    change: (command: AgentCommand): Promise<void> =>
      next(async () => {
        if (command.type === "effort") effort = command.effort;
        send(command);
        await untilIdle();
      }),

    /** Sends the history of the session to the editor. */
    async replay(): Promise<void> {
      for (const entry of history) await notify(updates.replayed(entry));
      if (history.length > 0) await notifyUsage();
    },

    async announceCommands(): Promise<void> {
      const compact = { name: "compact", description: "Summarize the conversation" };
      const availableCommands = [{ ...compact, argumentHint: "focus" }, ...custom].map(
        ({ name, description, argumentHint: hint }) => {
          return { name, description, ...(hint === "" ? {} : { input: { hint } }) };
        },
      );
      await notify([{ sessionUpdate: "available_commands_update", availableCommands }]);
    },

    async close(): Promise<void> {
      send({ type: "stop" });
      await opened.close();
    },
  };
}

/**
 * A prompt from an editor as blocks. A link is named; the agent reads it when
 * it needs to.
 */
export const userBlocks = (prompt: readonly ContentBlock[]): UserBlock[] => prompt.map(userBlock);

function userBlock(block: ContentBlock): UserBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "resource_link":
      return text(`@${toPath(block.uri)}`);
    case "resource": {
      const { resource } = block;
      const name = toPath(resource.uri);
      return "text" in resource
        ? text(`<file path="${name}">\n${resource.text}\n</file>`)
        : image(resource.blob, resource.mimeType ?? "");
    }
    default:
      return text(`[A block of type “${block.type}” was left out: it is not supported.]`);
  }
}

const text = (words: string): UserBlock => ({ type: "text", text: words });

function image(data: string, mimeType: string): UserBlock {
  const media_type = imageMediaTypes.find((known) => known === mimeType);
  if (!media_type) return text(`[An attachment of type “${mimeType}” was left out.]`);
  return { type: "image", source: { type: "base64", media_type, data } };
}

const toPath = (uri: string): string =>
  attempt(() => (uri.startsWith("file://") ? fileURLToPath(uri) : uri), uri);

/** A question of the agent, as a choice of options. */
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
