/** Tools, commands and news of a session's servers, and how the screen and clients show them. */

import type { Settings } from "../../config/settings.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ModelRules, ToolDefinition } from "../../protocol/model.ts";
import { shownConfig } from "./config.ts";
import type { Hub } from "./hub.ts";
import type { Server, ServerState } from "./server.ts";

/**
 * Definitions of MCP tools that a session begins with: all of them, or none when they are long. A
 * resumed session keeps those that it has, whatever has connected by now.
 */
export async function firstTools(
  hub: Hub | null,
  path: readonly Entry[],
  settings: Pick<Settings, "mcpToolShare">,
  rules: ModelRules,
): Promise<ToolDefinition[]> {
  if (!hub) return [];
  hub.start();
  const known = knownTools(path);
  if (known && !lacksSearch(hub, path))
    return known.filter(({ name }) => hub.findTool(name) !== undefined);
  await hub.ready();
  return smallTools(hub, settings, rules);
}

/** Definitions that are sent from the start, as far as they are known by now. */
export const smallTools = (
  hub: Hub | null,
  { mcpToolShare }: Pick<Settings, "mcpToolShare">,
  { windowTokens, charsPerToken }: ModelRules,
): ToolDefinition[] =>
  hub?.firstDefinitions(mcpToolShare * windowTokens * charsPerToken.code) ?? [];

/** Prompts of servers, as commands. */
export const listPrompts = (hub: Hub | null) =>
  (hub?.servers ?? []).flatMap((server) =>
    server.lists.prompts.map(({ name, description, arguments: args }) => ({
      name: `mcp__${server.name}__${name}`,
      description: description || `prompt of the MCP server ${server.name}`,
      argumentHint: args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`)).join(" "),
      kind: "command" as const,
    })),
  );

/** A resumed session began without servers, and so without the tool that finds theirs. */
export function lacksSearch(hub: Hub | null, path: readonly Entry[]): boolean {
  const known = knownTools(path);
  if (!hub || !known) return false;
  return !known.some(({ name }) => name === hub.searchTool.name);
}

const knownTools = (path: readonly Entry[]): ToolDefinition[] | undefined =>
  path.findLast((entry) => entry.type === "session")?.tools;

/** The servers of a session for the screen. */
export const mcpService = (hub: Hub) => ({
  servers: () => hub.servers.map(describeServer),
  approve: (name: string) => hub.approve(name),
  reconnect: (name: string) => hub.reconnect(name),
  watch: (changed: () => void) => hub.subscribe(changed),
  reportFailures: (report: (sentence: string) => void) => hub.reportFailures(report),
});

const describeServer = (server: Server) => ({
  name: server.name,
  scope: server.scope,
  state: server.state,
  where: shownConfig(server),
  tools: server.lists.tools.map(({ definition }) => definition),
  prompts: server.lists.prompts.map(({ name }) => name),
  resources: server.lists.resources.length,
  problems: server.problems,
  stderr: server.stderr,
});

const maxNames = 20;

/** Resources of servers as they are named after an @: those with the query in their name. */
export function resourceNames(hub: Hub | null, query: string): string[] {
  if (!hub || query === "") return [];
  const names = hub.servers.flatMap(({ name, lists }) =>
    lists.resources.map(({ uri }) => `${name}:${uri}`),
  );
  const wanted = query.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, maxNames);
}

/** The states by their names in Claude Code. */
const statuses: Record<ServerState, string> = {
  waiting: "pending",
  connecting: "pending",
  connected: "connected",
  failed: "failed",
  unapproved: "disabled",
  login: "needs-auth",
  closed: "failed",
};

export const mcpStatuses = (hub: Hub | null) =>
  (hub?.servers ?? []).map(({ name, state, problems, lists }) => ({
    name,
    status: statuses[state],
    ...(state === "failed" ? { error: problems.join(" ") } : {}),
    tools: lists.tools.map(({ definition }) => ({
      name: definition.name.replace(`mcp__${name}__`, ""),
      description: definition.description,
    })),
  }));
