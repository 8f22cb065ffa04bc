/** Tools of servers as tools of the agent. Each call is judged as one with unknown effects. */

import { terminalLine } from "../../base/escape-terminal.ts";
import type { ContentBlock, EmbeddedResource } from "@modelcontextprotocol/client";
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
import { type RemoteTool, clean } from "./listing.ts";
import type { CallResult, Server } from "./server.ts";
import { clip } from "../../base/clip.ts";
import { defineTool } from "../../tools/accept.ts";

const anyInput = z.record(z.string(), z.unknown());

type AnyInput = z.infer<typeof anyInput>;

/**
 * A server's hints about its tools, such as that they only read, change nothing here. `listed`: absent when
 * the server has not listed its tools yet.
 */
export const serverTool = (server: Server, name: string, listed?: RemoteTool): Tool<AnyInput> => ({
  name,
  description: listed?.definition.description ?? "",
  schema: anyInput,
  ...(listed && { definition: listed.definition }),
  readOnly: false,
  intent: async (input) => ({
    access: { kind: "external" },
    // The server's name first: the rest is its own words.
    title: `MCP server ${server.name}: ${name.replace(`mcp__${server.name}__`, "")}`,
    detail: JSON.stringify(input, null, 2),
  }),
  async run(input, { signal, progress }) {
    const tell = (words: string): void => progress(words, words.length);
    return toOutput(await server.callTool(name, input, { signal, progress: tell }));
  },
});

/** Lists the resources that servers announced when they connected. */
export const listResourcesTool = (servers: readonly Server[]): Tool<AnyInput> => ({
  name: "ListMcpResources",
  description: "Lists the resources of MCP servers: their URIs for ReadMcpResource.",
  schema: anyInput,
  readOnly: true,
  intent: async () => touchesNothing("List MCP resources"),
  async run() {
    const lines = servers.flatMap((server) =>
      server.lists.resources.map(({ uri, name, mimeType, description }) => {
        const words = [name, mimeType, description].filter(Boolean).join(", ");
        return `${server.name} ${uri}: ${words}`;
      }),
    );
    return textOutput(lines.join("\n") || "There are no resources.");
  },
});

const readInput = z.object({ server: z.string(), uri: z.string() });

export const readResourceTool = (servers: readonly Server[]): Tool<z.infer<typeof readInput>> => ({
  name: "ReadMcpResource",
  description: "Reads a resource of an MCP server by its URI.",
  schema: readInput,
  readOnly: false,
  intent: async ({ server, uri }) => ({
    // Rules for the server also cover its resources.
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
export async function toOutput(result: CallResult): Promise<ToolOutput> {
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
      const { uri, name, mimeType, description } = block;
      const words = [name, mimeType, description].filter(Boolean).join(", ");
      return text(`[Resource ${terminalLine(uri, lineChars)}: ${terminalLine(words, lineChars)}]`);
    }
  }
}

export async function resourceBlock(resource: EmbeddedResource["resource"]): Promise<ResultBlock> {
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

/** Limit on the tools that one search loads. */
const maxFound = 5;

const searchInput = z.object({
  query: z.string().describe("Words, or select:NAME,NAME"),
});

type Catalog = {
  tools(): readonly Tool<unknown>[];
  connecting(): readonly string[];
  /** Resolves when no server is connecting any more, or after a moment. */
  settled(): Promise<void>;
};

/** Loading grants no permission: each tool it finds needs its own. */
export const toolSearchTool = (catalog: Catalog): Tool<z.infer<typeof searchInput>> => ({
  name: "ToolSearch",
  description: "Loads tools of MCP servers, for you to call. The conversation names them.",
  schema: searchInput,
  readOnly: true,
  intent: async ({ query }) => touchesNothing(`Search tools: ${query}`),
  async run({ query }) {
    let { found, missing } = search(catalog.tools(), query);
    // A missing tool may belong to a server that is still connecting.
    if ((found.length === 0 || missing.length > 0) && catalog.connecting().length > 0) {
      await catalog.settled();
      ({ found, missing } = search(catalog.tools(), query));
    }
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

/** `missing`: names that were chosen and that no tool has. */
function search(tools: readonly Tool<unknown>[], query: string) {
  const chosen = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (chosen === undefined) return { found: byWords(tools, query), missing: [] };
  const names = chosen.split(",").map((name) => name.trim());
  const found = tools.filter(({ name }) => names.includes(name));
  return { found, missing: names.filter((name) => !found.some((tool) => tool.name === name)) };
}

/** Best first, without those that match much worse than the best. A word in the name counts most. */
function byWords(tools: readonly Tool<unknown>[], query: string): readonly Tool<unknown>[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const rate = (text: string, points: number): number =>
    words.filter((word) => text.toLowerCase().includes(word)).length * points;
  const rated = tools
    .map((tool) => ({ tool, points: rate(tool.name, 10) + rate(tool.description, 1) }))
    .toSorted((a, b) => b.points - a.points);
  const least = Math.max(1, (rated[0]?.points ?? 0) / 2);
  return rated.flatMap(({ tool, points }) => (points >= least ? tool : [])).slice(0, maxFound);
}
