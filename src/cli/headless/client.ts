/** The program at the other end of standard input, as a run sees it. */

import { ControlChannel } from "../../control/channel.ts";
import type { Initialize } from "../../control/initialize.ts";
import { answerRequest, type Controlled } from "../../control/requests.ts";
import type { LogStore } from "../../log/store.ts";
import { knownModels, modelNamed } from "../../model/catalog.ts";
import type { JobQueue } from "../../print/job-queue.ts";
import type { RunStats } from "../../print/run-stats.ts";
import type { Command } from "../../protocol/command.ts";
import { claudeModes } from "../../protocol/permission.ts";
import { jsonToTerminal } from "../../protocol/to-terminal.ts";
import { keySource } from "../key-source.ts";
import { writeData, writeError } from "../output.ts";
import type { CommandInfo } from "../prompt-files.ts";
import type { Run } from "../run-types.ts";
import type { StartOptions } from "../start-options.ts";
import type { ClientServers } from "./client-servers.ts";
import { contextUsage } from "./context-usage.ts";
import { jobOf } from "./job-of.ts";
import { mcpStatuses } from "./mcp-status.ts";

export type Client = {
  channel: ControlChannel;
  options: StartOptions;
  run: Run;
  /** Commands and skills. */
  custom: readonly CommandInfo[];
  servers: ClientServers;
  log: LogStore;
  jobs: JobQueue;
  stats: RunStats;
  send(command: Command): void;
  /** The model of the next turn. */
  model: string;
};

/** One message, on a line of its own. */
export const printMessage = (message: object): void =>
  writeData(`${jsonToTerminal(JSON.stringify(message))}\n`);

export const openChannel = (): ControlChannel =>
  new ControlChannel({
    input: Bun.stdin.stream(),
    print: printMessage,
    warn: (sentence) => writeError(`mini-claude: ${sentence}\n`),
  });

/** What the client asks for when it connects is added to the flags. */
export function withWishes(options: StartOptions, wishes: Initialize): StartOptions {
  const { jsonSchema, servers, hooks: _, agents: __, ...prompts } = wishes;
  const { flags } = options;
  const headless = { ...flags.headless, ...(jsonSchema ? { jsonSchema } : {}) };
  const sdk = Object.fromEntries(servers.map((name) => [name, { type: "sdk" }]));
  const ofClient = servers.length === 0 ? [] : [JSON.stringify({ mcpServers: sdk })];
  const mcp = { ...flags.mcp, configs: [...flags.mcp.configs, ...ofClient] };
  return {
    ...options,
    flags: { ...flags, mcp, headless, prompts: { ...flags.prompts, ...prompts } },
  };
}

export const connectClient = (parts: Omit<Client, "model">): Client => ({
  ...parts,
  model: parts.run.modelName,
});

/** Hands the client's messages and requests to the run. */
export function serveClient(client: Client): void {
  const { channel, jobs } = client;
  const controlled = controlledRun(client);
  channel.serve({
    user: ({ message, uuid }) => jobs.push(jobOf(message.content, uuid ?? undefined)),
    request: (request) => answerRequest(request, controlled),
    end: () => jobs.close(),
  });
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

function controlledRun(client: Client): Controlled {
  const { options, run, servers, custom, log, jobs, stats, send } = client;
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
      commands: [compactCommand, ...custom].map(({ name, description, argumentHint }) => {
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
      return jobs.waiting.flatMap((job) => (job.kind === "prompt" && job.uuid ? [job.uuid] : []));
    },
    setMode: (mode) => send({ type: "mode", mode }),
    setModel(model) {
      client.model = modelNamed(model ?? settings.model);
      jobs.push({ kind: "change", command: { type: "model", model: client.model } });
    },
    mcpServers: () => mcpStatuses(run.mcp),
    receive: (server, message) => servers.get(server)?.receive(message),
    contextUsage: () => contextUsage(log.path, run.rules, settings.policy, client.model),
    settings: () => ({
      effective: {
        model: client.model,
        permissions: { ...settings.permissions, defaultMode: claudeModes[run.toolbox.mode] },
      },
      sources: [],
    }),
    cost: () => ({ total_cost_usd: stats.totalUsd }),
    rename: (title) => jobs.push({ kind: "change", command: { type: "rename", title } }),
  };
}
