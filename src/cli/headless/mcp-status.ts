import type { Hub } from "../../mcp/hub.ts";
import type { ServerState } from "../../mcp/server.ts";

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
