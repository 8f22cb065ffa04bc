/** News of servers for the model: appended once, and again when it changes. */

import { type ResultBlock, blockText } from "../../protocol/block.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact, Entry } from "../../protocol/entry.ts";
import { clip, takeStart } from "../../base/clip.ts";
import type { Lists, RemotePrompt } from "./listing.ts";
import type { Server } from "./server.ts";
import type { PromptMessage } from "@modelcontextprotocol/client";
import { errorMessage } from "../../base/format.ts";
import { resourceBlock, toBlock } from "./tools.ts";

/** Characters for the names of one server's tools; the search finds the rest. */
const namesChars = 2_000;

/** `offers`: whether a tool may be loaded. */
export function announce(
  servers: readonly Server[],
  path: readonly Entry[],
  offers: (tool: string) => boolean,
): ContextFact[] {
  const told = new Map<string, string>();
  const sent = new Set<string>();
  for (const entry of path) {
    if (entry.type === "session") for (const { name } of entry.tools) sent.add(name);
    // A summary loses the names, and the loaded tools with them.
    if (isSummary(entry)) told.clear();
    if (entry.type === "context" && entry.kind === "tools")
      told.set(entry.title, JSON.stringify(entry.content));
  }
  const wasTold = (server: Server): boolean => told.has(titleFor(server));
  const isNew = (tool: string): boolean => !sent.has(tool) && offers(tool);
  // The tools of those that a resumed session knows are known.
  const connecting = servers
    .filter((server) => server.state === "connecting" && !wasTold(server))
    .map(({ name }) => name);
  return [
    contextFact("tools", "MCP servers", describeConnecting(connecting)),
    ...servers.map((server) =>
      contextFact("tools", titleFor(server), describe(server, isNew, wasTold(server))),
    ),
  ].filter(
    ({ title, content }) =>
      blockText(content) !== "" && told.get(title) !== JSON.stringify(content),
  );
}

/** One line for all servers. */
const describeConnecting = (names: readonly string[]): string =>
  names.length === 0 ? "" : `Connecting: ${names.join(", ")}. ToolSearch finds their tools.`;

/** Whether it replaces what came before in the context. */
const isSummary = (entry: Entry): boolean =>
  entry.type === "cut" && entry.changes.some(({ kind }) => kind === "cover");

const titleFor = ({ name }: Server): string => `MCP server ${name}`;

/** Empty: nothing that the model needs to know. */
function describe(server: Server, isNew: (tool: string) => boolean, wasTold: boolean): string {
  switch (server.state) {
    case "connected":
      return [quoteInstructions(server.lists), listLoadable(server.lists, isNew)]
        .filter(Boolean)
        .join("\n");
    case "failed":
    case "login":
      return wasTold ? "Not available now." : "";
    default:
      return "";
  }
}

const quoteInstructions = ({ instructions }: Lists): string =>
  instructions === "" ? "" : `Its own description: ${instructions}`;

/** Tools whose definitions the model does not have. */
function listLoadable({ tools, resources }: Lists, isNew: (tool: string) => boolean): string {
  const names = tools.map(({ definition }) => definition.name);
  if (resources.length > 0) names.push("ListMcpResources", "ReadMcpResource");
  const loadable = names.filter(isNew);
  if (loadable.length === 0) return "";
  return `ToolSearch loads these tools: ${clip(loadable.join(", "), namesChars)}`;
}

/** Characters of one attachment. */
const maxChars = 100_000;

/** Never rejects: what cannot be read is attached as the reason. */
export async function collectAttachments(
  text: string,
  servers: readonly Server[],
  signal: AbortSignal,
): Promise<ContextFact[]> {
  const prompt = findPrompt(text, servers);
  const resources = findResources(text, servers);
  return Promise.all([
    ...(prompt
      ? [attachment(`prompt ${prompt.server.name}:${prompt.name}`, () => ask(prompt, signal))]
      : []),
    ...resources.map(({ server, uri }) =>
      attachment(`${server.name}:${uri}`, async () => {
        const { contents } = await server.readResource(uri, signal);
        return Promise.all(contents.map(resourceBlock));
      }),
    ),
  ]);
}

async function attachment(title: string, read: () => Promise<ResultBlock[]>): Promise<ContextFact> {
  const content = await read().catch((error: unknown): ResultBlock[] => [
    { type: "text", text: errorMessage(error) },
  ]);
  return { type: "context", kind: "attachment", title, content: content.map(bounded) };
}

const bounded = (block: ResultBlock): ResultBlock =>
  block.type === "text" && block.text.length > maxChars
    ? { type: "text", text: `${takeStart(block.text, maxChars)}\n[The rest is left out.]` }
    : block;

type CalledPrompt = { server: Server; name: string; words: string };

/** Null: the text does not begin with the name of a server's prompt. */
function findPrompt(text: string, servers: readonly Server[]): CalledPrompt | null {
  const [, serverName, name, words = ""] =
    /^\/(?:mcp__)?([\w-]+?)(?:__|:)(\S+)\s*([^]*)$/.exec(text.trim()) ?? [];
  const server = servers.find((known) => known.name === serverName);
  return server && name !== undefined ? { server, name, words } : null;
}

async function ask({ server, name, words }: CalledPrompt, signal: AbortSignal) {
  await server.available(signal);
  const prompt = server.lists.prompts.find((listed) => listed.name === name);
  if (!prompt) throw new Error(`The MCP server ${server.name} has no prompt ${name}.`);
  const { messages } = await server.getPrompt(name, assignArguments(prompt, words), signal);
  return Promise.all(messages.map(messageBlock));
}

async function messageBlock({ role, content }: PromptMessage): Promise<ResultBlock> {
  const block = await toBlock(content);
  return role === "assistant" && block.type === "text"
    ? { type: "text", text: `Assistant: ${block.text}` }
    : block;
}

/** In the order of the prompt's arguments; the last one takes all words that are left. */
function assignArguments(prompt: RemotePrompt, words: string): Record<string, string> {
  const given = words.split(/\s+/).filter((word) => word !== "");
  const last = prompt.arguments.length - 1;
  return Object.fromEntries(
    prompt.arguments.flatMap(({ name }, index) => {
      const value = index === last ? given.slice(index).join(" ") : given[index];
      return value ? [[name, value]] : [];
    }),
  );
}

function findResources(
  text: string,
  servers: readonly Server[],
): { server: Server; uri: string }[] {
  const mentions = [...text.matchAll(/(?:^|\s)@([\w-]+):(\S+)/g)].slice(0, 10);
  return mentions.flatMap(([, name, uri = ""]) => {
    const server = servers.find((known) => known.name === name);
    return server ? [{ server, uri: uri.replace(/[.,;!?)]+$/, "") }] : [];
  });
}
