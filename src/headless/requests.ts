/** Control requests of a client to a run. */

import { z } from "zod";
import { toFileRewind, routeTo } from "../agent/rewind.ts";
import { keySource } from "../config/credentials.ts";
import type { Kind } from "../context/view/char-count.ts";
import type { MeterReading } from "../context/types.ts";
import { mcpStatuses } from "../extensions/mcp/open-servers.ts";
import type { ControlRequest } from "./control/channel.ts";
import { type HeadlessRun, mayBypass } from "./headless-run.ts";
import { entryNamed, evidenceOnWire } from "./print/messages.ts";
import { previewRewind } from "../snapshots/rewind.ts";
import { knownModels, modelNamed, effortWithin } from "../model/catalog.ts";
import { claudeModes, modeNamed, permissionModes } from "../protocol/permission.ts";
import type { Policy } from "../protocol/policy.ts";

/** The MCP servers that run in the client, by name. */
type ClientServers = ReadonlyMap<string, { receive(message: unknown): void }>;

/** The body of the response. Throws with a sentence for what cannot be done. */
export async function answerRequest(
  request: ControlRequest["request"],
  opened: HeadlessRun,
  servers: ClientServers,
): Promise<object> {
  const { options, run, jobs, send } = opened;
  const { settings } = options;
  switch (request.subtype) {
    case "initialize":
      return describe(opened);
    case "interrupt":
      send({ type: "stop" });
      if (!opened.sparesBackground) run.subagents.stopBackground();
      return {
        still_queued: jobs.waiting.flatMap(({ command }) =>
          command.type === "prompt" && command.uuid ? [command.uuid] : [],
        ),
      };
    case "stop_task": {
      const task = z.string().parse(request["task_id"]);
      if (!run.subagents.stop(task)) throw new Error(`No subagent works in the session ${task}.`);
      return {};
    }
    case "set_permission_mode": {
      const mode = modeNamed(request["mode"]);
      if (!mode) throw new Error(`The mode must be one of ${permissionModes.join(", ")}.`);
      if (mode === "bypass" && !mayBypass(options))
        throw new Error("bypassPermissions needs --allow-dangerously-skip-permissions at startup.");
      send({ type: "mode", mode });
      return { mode: request["mode"] };
    }
    case "set_model": {
      const model = z.string().nullish().parse(request["model"]) ?? null;
      opened.model = modelNamed(model ?? settings.model);
      jobs.push({ command: { type: "model", model: opened.model } });
      return { model };
    }
    case "set_max_thinking_tokens": {
      const tokens = z.number().nullish().parse(request["max_thinking_tokens"]) ?? null;
      const effort = tokens === null ? null : effortWithin(tokens);
      jobs.push({ command: { type: "effort", effort } });
      return {};
    }
    case "rewind_files":
      return rewindTo(
        z.string().parse(request["user_message_id"]),
        z.boolean().nullish().parse(request["dry_run"]) ?? false,
        opened,
      );
    case "mcp_message":
      servers.get(z.string().parse(request["server_name"]))?.receive(request["message"]);
      return {};
    case "mcp_reconnect": {
      const server = z.string().parse(request["serverName"]);
      if (!run.mcp) throw new Error(`There is no MCP server ${server}.`);
      await run.mcp.server(server).reconnect();
      return {};
    }
    case "mcp_status":
      return { mcpServers: mcpStatuses(run.mcp) };
    case "get_context_usage":
      return {
        ...contextUsage(opened.meter(), settings, opened.model),
        ...evidenceOnWire(opened.evidence()),
      };
    case "get_settings": {
      const defaultMode = claudeModes[run.toolbox.mode];
      const permissions = { ...settings.permissions, defaultMode };
      return { effective: { model: opened.model, permissions }, sources: [] };
    }
    case "rename_session":
      jobs.push({ command: { type: "rename", title: z.string().parse(request["title"]) } });
      return {};
    default:
      throw new Error(`mini-claude does not support the request “${request.subtype}”.`);
  }
}

const models = knownModels.map((name) => ({ value: name, displayName: name, description: "" }));

const compactCommand = {
  name: "compact",
  description: "Summarize the conversation",
  argumentHint: "[focus]",
};

function describe({ options: { settings, env }, run, custom }: HeadlessRun) {
  const { provider, variable } = keySource(settings, env);
  return {
    commands: [compactCommand, ...custom].map(({ name, description, argumentHint }) => {
      return { name, description, argumentHint };
    }),
    agents: run.agents.map(({ name, description }) => ({ name, description })),
    models,
    account: {
      apiProvider: provider === "anthropic" ? "firstParty" : "gateway",
      ...(variable === null ? {} : { apiKeySource: variable }),
    },
    output_style: "default",
    available_output_styles: ["default"],
    pid: process.pid,
  };
}

/** Restores the files as of a user message, once the turn has ended. */
async function rewindTo(
  message: string,
  isPreview: boolean,
  { log, jobs }: HeadlessRun,
): Promise<{ canRewind: boolean; error?: string; filesChanged?: string[] }> {
  const found = entryNamed(message, log.path);
  if (found?.type !== "user")
    return { canRewind: false, error: `The session has no message ${message}.` };
  const steps = await previewRewind(toFileRewind(routeTo(log, found.id)));
  const filesChanged = steps.flatMap(({ how, path }) => (how === "keep" ? [] : [path]));
  if (!isPreview) {
    const command = { type: "rewind", to: found.id, files: true, conversation: false } as const;
    const { promise, resolve } = Promise.withResolvers<void>();
    jobs.push({ command, done: resolve });
    await promise;
  }
  return { canRewind: true, filesChanged };
}

const names: [kind: Kind, name: string][] = [
  ["system", "System prompt"],
  ["tools", "System tools"],
  ["instructions", "Memory files"],
  ["user", "User messages"],
  ["assistant", "Answers"],
  ["thinking", "Thinking"],
  ["toolInputs", "Tool calls"],
  ["toolResults", "Tool results"],
  ["summary", "Summaries"],
];

/** The meter, as the request `get_context_usage` reports it. */
function contextUsage(
  { breakdown, usedTokens, windowTokens, effectiveTokens }: MeterReading,
  policy: Policy,
  model: string,
): object {
  const used = names.map(([kind, name]) => {
    return { name, tokens: Math.round(breakdown[kind]), color: "", kind: "used" };
  });
  const free = Math.max(0, windowTokens - usedTokens);
  return {
    categories: [...used, { name: "Free space", tokens: free, color: "", kind: "free" }],
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: Math.round((100 * usedTokens) / windowTokens),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    autoCompactThreshold: Math.round(effectiveTokens * policy.summaryAt),
    isAutoCompactEnabled: policy.autoCompact === "on" && policy.compaction === "on",
    apiUsage: null,
  };
}
