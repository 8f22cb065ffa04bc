/** The client at the other end of standard input, as a run sees it. */

import { ControlChannel } from "../../control/channel.ts";
import { answerRequest, type Controlled } from "../../control/requests.ts";
import { knownModels, modelNamed } from "../../model/catalog.ts";
import { claudeModes } from "../../protocol/permission.ts";
import { jsonToTerminal } from "../../protocol/to-terminal.ts";
import { keySource } from "../key-source.ts";
import { writeData, writeError } from "../output.ts";
import type { ClientServers } from "./client-servers.ts";
import { contextUsage } from "./context-usage.ts";
import type { HeadlessRun } from "./headless-run.ts";
import { jobOf } from "./job-of.ts";
import { mcpStatuses } from "./mcp-status.ts";

/** One message, on a line of its own. */
export const printMessage = (message: object): void =>
  writeData(`${jsonToTerminal(JSON.stringify(message))}\n`);

export const openChannel = (): ControlChannel =>
  new ControlChannel({
    input: Bun.stdin.stream(),
    print: printMessage,
    warn: (sentence) => writeError(`mini-claude: ${sentence}\n`),
  });

/** Hands the client's messages and requests to the run. */
export function serveClient(
  opened: HeadlessRun,
  channel: ControlChannel,
  servers: ClientServers,
): void {
  const { jobs } = opened;
  const controlled = controlledRun(opened, servers);
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

function controlledRun(opened: HeadlessRun, servers: ClientServers): Controlled {
  const { options, run, log, jobs, stats, commands } = opened;
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
      commands.push({ type: "stop" });
      return jobs.waiting.flatMap((job) => (job.kind === "prompt" && job.uuid ? [job.uuid] : []));
    },
    setMode: (mode) => commands.push({ type: "mode", mode }),
    setModel(model) {
      opened.model = modelNamed(model ?? settings.model);
      jobs.push({ kind: "change", command: { type: "model", model: opened.model } });
    },
    mcpServers: () => mcpStatuses(run.mcp),
    receive: (server, message) => servers.get(server)?.receive(message),
    contextUsage: () => contextUsage(log.path, run.rules, settings.policy, opened.model),
    settings: () => ({
      effective: {
        model: opened.model,
        permissions: { ...settings.permissions, defaultMode: claudeModes[run.toolbox.mode] },
      },
      sources: [],
    }),
    cost: () => ({ total_cost_usd: stats.totalUsd }),
    rename: (title) => jobs.push({ kind: "change", command: { type: "rename", title } }),
  };
}
