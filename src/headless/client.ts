/** The client at the other end of standard input, as a run sees it. */

import { systemClock } from "../protocol/clock.ts";
import { keySource } from "../config/credentials.ts";
import { measure } from "../context/meter.ts";
import { ControlChannel } from "../control/channel.ts";
import { ClientTransport } from "../control/client-transport.ts";
import { readInitialize } from "../control/initialize.ts";
import { answerRequest, type Controlled } from "../control/requests.ts";
import type { Hub } from "../mcp/hub.ts";
import { mcpStatuses } from "../mcp/server-info.ts";
import { knownModels, modelNamed } from "../model/catalog.ts";
import { effortWithin } from "../model/thinking-budgets.ts";
import { commandOf } from "../print/jobs.ts";
import { printMessage, writeError } from "../print/output.ts";
import { claudeModes } from "../protocol/permission.ts";
import { contextUsage } from "./context-usage.ts";
import type { HeadlessRun } from "./headless-run.ts";
import { rewindTo } from "./rewind-files.ts";

/** What it asked for before the first message, and how it is connected with a run. */
export async function openClient() {
  const channel = new ControlChannel({
    input: Bun.stdin.stream(),
    print: printMessage,
    warn: (sentence) => writeError(`mini-claude: ${sentence}\n`),
  });
  let servers: ClientServers = new Map();
  return {
    channel,
    initialize: readInitialize(await channel.initialize),
    /** Begins to connect the MCP servers that run in the client; they are ready soon. */
    connectServers: (hub: Hub | null) => void (servers = connectClientServers(hub, channel)),
    /** Hands its messages and requests to the run. */
    serve(opened: HeadlessRun): void {
      const { jobs } = opened;
      const controlled = controlledRun(opened, servers);
      channel.serve({
        user: ({ message, uuid }) =>
          jobs.push({ command: commandOf(message.content, uuid ?? undefined) }),
        request: (request) => answerRequest(request, controlled),
        end: () => jobs.close(),
      });
    },
  };
}

const accountOf = ({ provider, variable }: ReturnType<typeof keySource>) => ({
  apiProvider: provider === "anthropic" ? "firstParty" : "gateway",
  ...(variable === null ? {} : { apiKeySource: variable }),
});

const compactCommand = {
  name: "compact",
  description: "Summarize the conversation",
  argumentHint: "[focus]",
};

function controlledRun(opened: HeadlessRun, servers: ClientServers): Controlled {
  const { options, run, jobs, stats, send } = opened;
  const { flags, settings } = options;
  const models = knownModels.map((name) => ({ value: name, displayName: name, description: "" }));
  return {
    models: () => models,
    async reconnect(server) {
      if (!run.mcp) throw new Error(`There is no MCP server ${server}.`);
      await run.mcp.reconnect(server);
    },
    mayBypass:
      settings.permissionMode === "bypass" ||
      flags.ignored.includes("allow-dangerously-skip-permissions"),
    describe: () => ({
      commands: [compactCommand, ...opened.custom].map(({ name, description, argumentHint }) => {
        return { name, description, argumentHint };
      }),
      agents: run.agents.map(({ name, description }) => ({ name, description })),
      models,
      account: accountOf(keySource(settings, options.env)),
      output_style: "default",
      available_output_styles: ["default"],
      pid: process.pid,
    }),
    stop() {
      send({ type: "stop" });
      return jobs.waiting.flatMap(({ command }) =>
        command.type === "prompt" && command.uuid ? [command.uuid] : [],
      );
    },
    setMode: (mode) => send({ type: "mode", mode }),
    setModel(model) {
      opened.model = modelNamed(model ?? settings.model);
      jobs.push({ command: { type: "model", model: opened.model } });
    },
    setThinkingTokens(tokens) {
      const effort = tokens === null ? null : effortWithin(tokens);
      jobs.push({ command: { type: "effort", effort } });
    },
    rewindFiles: (message, isPreview) => rewindTo(message, isPreview, opened),
    mcpServers: () => mcpStatuses(run.mcp),
    receive: (server, message) => servers.get(server)?.receive(message),
    contextUsage: () =>
      contextUsage(
        measure(run.live.view, run.agent.rules, settings.policy, systemClock.now()),
        settings.policy,
        opened.model,
      ),
    settings: () => ({
      effective: {
        model: opened.model,
        permissions: { ...settings.permissions, defaultMode: claudeModes[run.toolbox.mode] },
      },
      sources: [],
    }),
    cost: () => ({ total_cost_usd: stats.totalUsd }),
    rename: (title) => jobs.push({ command: { type: "rename", title } }),
  };
}

/** The MCP servers that run in the client, by name. */
type ClientServers = ReadonlyMap<string, ClientTransport>;

/** Begins to connect them; they are ready soon. */
function connectClientServers(hub: Hub | null, channel: ControlChannel): ClientServers {
  const names = hub?.servers.flatMap(({ name, config }) => (config.type === "sdk" ? [name] : []));
  const servers = new Map((names ?? []).map((name) => [name, new ClientTransport(name, channel)]));
  for (const [name, transport] of servers) void hub?.connect(name, transport);
  return servers;
}
