/** Tools of servers as tools of the agent. Each call is judged as one with unknown effects. */

import { terminalLine } from "../../base/escape-terminal.ts";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ResultBlock } from "../../protocol/block.ts";
import { readImage } from "../../tools/files/image.ts";
import {
  type Tool,
  ToolError,
  type ToolOutput,
  textOutput,
  touchesNothing,
} from "../../tools/tool.ts";
import { type RemoteResource, type RemoteTool, clean, parseServerName } from "./listing.ts";
import type { Server } from "./server.ts";
import { clip } from "../../base/clip.ts";
import { defineTool } from "../../tools/accept.ts";

const anyInput = z.record(z.string(), z.unknown());

type AnyInput = z.infer<typeof anyInput>;

/** A server's hints about its tools, such as that they only read, change nothing here. */
export const serverTool = (server: Server, tool: RemoteTool): Tool<AnyInput> => ({
  ...callable(server, tool.definition.name, tool.title, () => tool),
  description: tool.definition.description,
  definition: tool.definition,
});

/** A tool of a server that has not listed its tools yet; null: the name is no server's. */
export function expectedTool(servers: readonly Server[], name: string): Tool<AnyInput> | null {
  const server = servers.find((known) => known.name === parseServerName(name));
  if (!server) return null;
  return callable(server, name, name, () => {
    const found = server.lists.tools.find(({ definition }) => definition.name === name);
    if (found) return found;
    throw new ToolError(`The MCP server ${server.name} has no tool ${name}.`);
  });
}

/** `find`: the tool as the server lists it. */
const callable = (
  server: Server,
  name: string,
  title: string,
  find: () => RemoteTool,
): Tool<AnyInput> => ({
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
  async run(input, { signal, progress }) {
    const tell = (words: string): void => progress(words, words.length);
    return toOutput(await server.callTool(find, input, { signal, progress: tell }));
  },
});

const listInput = z.object({ server: z.string().optional() });

/** Lists what servers offer to read, from what they listed when they were connected. */
export const listResourcesTool = (servers: readonly Server[]): Tool<z.infer<typeof listInput>> => ({
  name: "ListMcpResources",
  description: "Lists the resources of MCP servers: their URIs for ReadMcpResource.",
  schema: listInput,
  readOnly: true,
  intent: async () => touchesNothing("List MCP resources"),
  async run({ server: only }) {
    const lines = servers
      .filter(({ name }) => only === undefined || name === only)
      .flatMap(({ name, lists }) =>
        lists.resources.map((resource) => resourceLine(name, resource)),
      );
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
    const server = servers.find((server) => server.name === name);
    const known = servers.map((server) => server.name).join(", ");
    if (!server) throw new ToolError(`There is no MCP server ${name}. Known: ${known}.`);
    const { contents } = await server.readResource(uri, signal);
    return { content: await Promise.all(contents.map(resourceBlock)) };
  },
});

/** Larger results are cut before they are even stored. */
const textChars = 8_000_000;
const lineChars = 500;

/** The result of a call: cleaned text, and images that the API accepts. */
export async function toOutput(result: CallToolResult): Promise<ToolOutput> {
  const blocks = await Promise.all(result.content.map(toBlock));
  const content = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  // Servers repeat structured content as text for clients that do not know it; some forget.
  if (content.length === 0 && result.structuredContent !== undefined)
    // Without indentation, which grows with the depth.
    content.push(text(JSON.stringify(result.structuredContent)));
  if (content.length === 0) content.push(text("(no output)"));
  return { content, ...(result.isError ? { isError: true as const } : {}) };
}

export async function toBlock(block: ContentBlock): Promise<ResultBlock> {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "audio":
      return text(`[Audio (${terminalLine(block.mimeType, lineChars)}) that cannot be shown.]`);
    case "resource":
      return resourceBlock(block.resource);
    case "resource_link": {
      const { uri, name, description = "", mimeType = "" } = block;
      const words = [name, mimeType, description].filter(Boolean).join(", ");
      return text(`[Resource ${terminalLine(uri, lineChars)}: ${terminalLine(words, lineChars)}]`);
    }
  }
}

type ResourceContent = { uri: string; mimeType?: string | undefined } & (
  { text: string } | { blob: string }
);

export async function resourceBlock(resource: ResourceContent): Promise<ResultBlock> {
  const uri = terminalLine(resource.uri, lineChars);
  if ("text" in resource) return text(`[Resource ${uri}]\n${resource.text}`);
  const { blob, mimeType = "" } = resource;
  if (mimeType.startsWith("image/")) return image(blob, mimeType);
  const bytes = Buffer.byteLength(blob, "base64");
  return text(
    `[Resource ${uri}: ${bytes} bytes of ${terminalLine(mimeType, lineChars) || "data"}]`,
  );
}

const text = (words: string): ResultBlock => ({ type: "text", text: clean(words, textChars) });

/** The bytes decide the type, not what the server says. */
async function image(data: string, mimeType: string): Promise<ResultBlock> {
  // A damaged image is described like one of another type.
  const block = await readImage(Buffer.from(data, "base64")).catch(() => null);
  return block ?? text(`[Image (${terminalLine(mimeType, lineChars)}) that cannot be shown.]`);
}

export type Catalog = {
  /** All tools that are known now. */
  tools(): readonly Tool<unknown>[];
  /** Names of servers that are still connecting. */
  connecting(): readonly string[];
  /** Resolves when no server is connecting any more, or after a moment. */
  settled(): Promise<void>;
};

const input = z.object({
  query: z.string().describe("Words, or select:NAME,NAME"),
});

/** Tools that one search by words loads. */
const maxFound = 5;

/** Loading grants no permission: each tool it finds needs its own. */
export const toolSearchTool = (catalog: Catalog): Tool<z.infer<typeof input>> => ({
  name: "ToolSearch",
  description: "Loads tools of MCP servers, for you to call. The conversation names them.",
  schema: input,
  readOnly: true,
  intent: async ({ query }) => touchesNothing(`Search tools: ${query}`),
  async run({ query }) {
    const find = () => search(catalog.tools(), query);
    // A missing tool may belong to a server that is still connecting.
    const isComplete = ({ found, missing }: FoundTools) => found.length > 0 && missing.length === 0;
    if (!isComplete(find()) && catalog.connecting().length > 0) await catalog.settled();
    const { found, missing } = find();
    const text = [
      found.length === 0
        ? `No tool matches; ${catalog.tools().length} are known.`
        : `Loaded: ${found.map(({ name }) => name).join(", ")}. Call them now.`,
      ...(missing.length > 0 ? [`Not found: ${clip(missing.join(", "), 500)}.`] : []),
      ...catalog.connecting().map((name) => `${name} is still connecting.`),
    ].join(" ");
    const loads = found.map((tool) => defineTool(tool));
    return { content: [{ type: "text", text }], ...(loads.length > 0 ? { loads } : {}) };
  },
});

type FoundTools = ReturnType<typeof search>;

/** `missing`: names that were chosen and that no tool has. */
function search(tools: readonly Tool<unknown>[], query: string) {
  const chosen = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (chosen === undefined) return { found: byWords(tools, query), missing: [] };
  const names = chosen.split(",").map((name) => name.trim());
  const known = new Set(tools.map(({ name }) => name));
  return {
    found: tools.filter(({ name }) => names.includes(name)),
    missing: names.filter((name) => !known.has(name)),
  };
}

/** Best first, without those that match much worse than the best. */
function byWords(tools: readonly Tool<unknown>[], query: string): readonly Tool<unknown>[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const scored = tools
    .map((tool) => ({ tool, score: rateTool(tool, words) }))
    .toSorted((a, b) => b.score - a.score);
  const least = Math.max(1, (scored[0]?.score ?? 0) / 2);
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, maxFound)
    .map(({ tool }) => tool);
}

/** A word in the name counts more than one in the description. */
function rateTool({ name, description }: Tool<unknown>, words: readonly string[]): number {
  const parts = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const text = description.toLowerCase();
  return words.reduce((score, word) => {
    if (parts.includes(word)) return score + 10;
    if (name.toLowerCase().includes(word)) return score + 5;
    return score + (text.includes(word) ? 1 : 0);
  }, 0);
}
