import type { McpServer } from "@agentclientprotocol/sdk";

/** The servers of an editor as the content of a file `.mcp.json`; null: there are none. */
export function mcpConfigOf(servers: readonly McpServer[]): string | null {
  if (servers.length === 0) return null;
  const named = servers.map((server) => [server.name, configOf(server)]);
  return JSON.stringify({ mcpServers: Object.fromEntries(named) });
}

const configOf = (server: McpServer): object =>
  "command" in server
    ? { command: server.command, args: server.args, env: textsOf(server.env) }
    : { type: server.type, url: server.url, headers: textsOf(server.headers) };

const textsOf = (pairs: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
