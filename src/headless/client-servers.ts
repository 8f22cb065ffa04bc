import type { ControlChannel } from "../control/channel.ts";
import { ClientTransport } from "../control/client-transport.ts";
import type { Hub } from "../mcp/hub.ts";

/** The MCP servers that run in the client, by name. */
export type ClientServers = ReadonlyMap<string, ClientTransport>;

/** Begins to connect them; they are ready soon. */
export function connectClientServers(hub: Hub | null, channel: ControlChannel): ClientServers {
  const names = hub?.servers.flatMap(({ name, config }) => (config.type === "sdk" ? [name] : []));
  const servers = new Map((names ?? []).map((name) => [name, new ClientTransport(name, channel)]));
  for (const [name, transport] of servers) void hub?.connect(name, transport);
  return servers;
}
