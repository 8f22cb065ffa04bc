import { shownConfig } from "../mcp/config.ts";
import type { Hub } from "../mcp/hub.ts";
import type { Server } from "../mcp/server.ts";
import type { McpServerInfo, McpService } from "../tui/mcp-service.ts";

/** The servers of a session for the screen. */
export const mcpService = (hub: Hub): McpService => ({
  servers: () => hub.servers.map(infoOf),
  approve: (name) => hub.approve(name),
  reconnect: (name) => hub.reconnect(name),
  watch: (changed) => hub.subscribe(changed),
  reportFailures: (report) => hub.reportFailures(report),
});

const infoOf = (server: Server): McpServerInfo => ({
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

const mostNames = 20;

/** Resources of servers as they are named after an @: those with the query in their name. */
export function resourceNames(hub: Hub | null, query: string): string[] {
  if (!hub || query === "") return [];
  const names = hub.servers.flatMap(({ name, lists }) =>
    lists.resources.map(({ uri }) => `${name}:${uri}`),
  );
  const wanted = query.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, mostNames);
}
