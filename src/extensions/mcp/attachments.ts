/**
 * Attachments from servers: in a prompt, `@SERVER:URI` attaches a resource, `/mcp__SERVER__PROMPT args` or
 * `/SERVER:PROMPT args` a prompt. The user's own words stay as they were typed.
 */

import type { PromptMessage } from "@modelcontextprotocol/client";
import type { ResultBlock } from "../../protocol/block.ts";
import { takeStart } from "../../base/clip.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import { messageOf } from "../../base/in-words.ts";
import { toBlock, resourceBlock } from "./tools.ts";
import type { RemotePrompt } from "./listing.ts";
import type { Server } from "./server.ts";

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
    { type: "text", text: messageOf(error) },
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
