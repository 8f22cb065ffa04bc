/** Tools of servers as tools of the agent. Each call is judged as one with unknown effects. */

import { z } from "zod";
import { textOutput, ToolError, touchesNothing, type Tool } from "../../tools/tool.ts";
import type { RemoteResource, RemoteTool } from "./listing.ts";
import { serverOf } from "./names.ts";
import { outputOf, resourceBlock } from "./results.ts";
import type { Server } from "./server.ts";

const anyInput = z.record(z.string(), z.unknown());

type Input = z.infer<typeof anyInput>;

/** What the server says about its own tools, such as that they only read, changes nothing here. */
export const serverTool = (
  server: Server,
  { remote, title, definition }: RemoteTool,
): Tool<Input> => ({
  ...callable(server, definition.name, title, () => remote),
  description: definition.description,
  definition,
});

/** A tool of a server that has not listed its tools yet; null: the name is no server's. */
export function expectedTool(servers: readonly Server[], name: string): Tool<Input> | null {
  const server = servers.find((one) => one.name === serverOf(name));
  if (!server) return null;
  return callable(server, name, name, () => {
    const found = server.lists.tools.find(({ definition }) => definition.name === name);
    if (found) return found.remote;
    throw new ToolError(`The MCP server ${server.name} has no tool ${name}.`);
  });
}

/** `remote`: the server's own name for it. */
const callable = (
  server: Server,
  name: string,
  title: string,
  remote: () => string,
): Tool<Input> => ({
  name,
  description: "",
  schema: anyInput,
  readOnly: false,
  intent: async (input) => ({
    access: { kind: "external" },
    // The server's name first: the rest is its own words.
    title: `MCP server ${server.name}: ${title}`,
    detail: JSON.stringify(input, null, 2),
  }),
  async run(input, { signal, progress, ask }) {
    const tell = (words: string): void => progress(words, words.length);
    return outputOf(await server.callTool(remote, input, { signal, ask, progress: tell }));
  },
});

const listInput = z.object({ server: z.string().optional() });

/** Lists what servers offer to read, from what they listed when they were connected. */
export const listResourcesTool = (servers: readonly Server[]): Tool<z.infer<typeof listInput>> => ({
  name: "ListMcpResources",
  description:
    "Lists the resources of MCP servers: their URIs for ReadMcpResource, and templates of URIs.",
  schema: listInput,
  readOnly: true,
  intent: async () => touchesNothing("List MCP resources"),
  async run({ server: only }) {
    const lines = servers
      .filter(({ name }) => only === undefined || name === only)
      .flatMap(({ name, lists }) => [
        ...lists.resources.map((one) => resourceLine(name, one)),
        ...lists.templates.map((one) => `template ${resourceLine(name, one)}`),
      ]);
    return textOutput(lines.join("\n") || "There are no resources.");
  },
});

const resourceLine = (server: string, { uri, name, mimeType, description }: RemoteResource) =>
  `${server} ${uri}: ${[name, mimeType, description].filter(Boolean).join(", ")}`;

const readInput = z.object({ server: z.string(), uri: z.string() });

export const readResourceTool = (servers: readonly Server[]): Tool<z.infer<typeof readInput>> => ({
  name: "ReadMcpResource",
  description: "Reads a resource of an MCP server by its URI.",
  schema: readInput,
  readOnly: false,
  intent: async ({ server, uri }) => ({
    // Rules about the server cover what is read from it.
    access: { kind: "external", tool: `mcp__${server}__read_resource` },
    title: `MCP server ${server}: read ${uri}`,
    detail: "",
  }),
  async run({ server: name, uri }, { signal }) {
    const server = servers.find((one) => one.name === name);
    const known = servers.map((one) => one.name).join(", ");
    if (!server) throw new ToolError(`There is no MCP server ${name}. Known: ${known}.`);
    const { contents } = await server.readResource(uri, signal);
    return { content: await Promise.all(contents.map(resourceBlock)) };
  },
});
