/** MCP servers as the screen and clients show them. */

import { shownConfig } from "./config.ts";
import type { Hub } from "./hub.ts";
import type { Server, ServerState } from "./server.ts";

/** The servers of a session for the screen. */
export const mcpService = (hub: Hub) => ({
  servers: () => hub.servers.map(infoOf),
  approve: (name: string) => hub.approve(name),
  reconnect: (name: string) => hub.reconnect(name),
  watch: (changed: () => void) => hub.subscribe(changed),
  reportFailures: (report: (sentence: string) => void) => hub.reportFailures(report),
});

const infoOf = (server: Server) => ({
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
