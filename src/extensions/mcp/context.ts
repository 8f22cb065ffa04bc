/** News of servers for the model: appended once, and again when it changes. */

import { type ResultBlock, blockText } from "../../protocol/block.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact, Entry } from "../../protocol/entry.ts";
import { clip } from "../../base/clip.ts";
import type { Lists } from "./listing.ts";
import type { Server } from "./server.ts";
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
    if (entry.type === "cut" && entry.changes.some(({ kind }) => kind === "cover")) told.clear();
    if (entry.type === "context" && entry.kind === "tools")
      told.set(entry.title, blockText(entry.content));
  }
  const news = new Map<string, string>();
  const connecting: string[] = [];
  for (const { name, state, lists } of servers) {
    const title = `MCP server ${name}`;
    if (state === "connected")
      news.set(
        title,
        describe(lists, (tool) => !sent.has(tool) && offers(tool)),
      );
    else if (!told.has(title)) {
      // The tools of those that a resumed session knows are known.
      if (state === "connecting") connecting.push(name);
    } else if (state === "failed" || state === "login") news.set(title, "Not available now.");
  }
  if (connecting.length > 0)
    news.set("MCP servers", `Connecting: ${connecting.join(", ")}. ToolSearch finds their tools.`);
  return [...news].flatMap(([title, text]) =>
    text === "" || text === told.get(title) ? [] : contextFact("tools", title, text),
  );
}

/** A server's own words, and its tools whose definitions the model does not have. */
function describe({ instructions, tools, resources }: Lists, isNew: (tool: string) => boolean) {
  const names = tools.map(({ definition }) => definition.name);
  if (resources.length > 0) names.push("ListMcpResources", "ReadMcpResource");
  const loadable = clip(names.filter(isNew).join(", "), namesChars);
  const parts = [
    instructions && `Its own description: ${instructions}`,
    loadable && `ToolSearch loads these tools: ${loadable}`,
  ];
  return parts.filter(Boolean).join("\n");
}

/** The name of a server's prompt, and words after it. */
const calledPrompt = /^\/(?:mcp__)?([\w-]+?)(?:__|:)(\S+)\s*([^]*)$/;

/** The URI of a server's resource. */
const mention = /(?:^|\s)@([\w-]+):(\S+)/g;
const maxMentions = 10;

/** Characters of one attachment. */
const maxChars = 100_000;

/** Never rejects: what cannot be read is attached as the reason. */
export async function collectAttachments(
  text: string,
  servers: readonly Server[],
  signal: AbortSignal,
): Promise<ContextFact[]> {
  const find = (name = ""): Server | undefined => servers.find((server) => server.name === name);
  const read: Promise<ContextFact>[] = [];
  const [, before, prompt, words = ""] = calledPrompt.exec(text.trim()) ?? [];
  const asked = find(before);
  if (asked && prompt)
    read.push(
      attachment(`prompt ${asked.name}:${prompt}`, async () => {
        const { messages } = await asked.getPrompt(prompt, words, signal);
        return Promise.all(messages.map(({ content }) => toBlock(content)));
      }),
    );
  for (const [, name, mentioned = ""] of [...text.matchAll(mention)].slice(0, maxMentions)) {
    const server = find(name);
    const uri = mentioned.replace(/[.,;!?)]+$/, "");
    if (server)
      read.push(
        attachment(`${server.name}:${uri}`, async () => {
          const { contents } = await server.readResource(uri, signal);
          return Promise.all(contents.map(resourceBlock));
        }),
      );
  }
  return Promise.all(read);
}

async function attachment(title: string, read: () => Promise<ResultBlock[]>): Promise<ContextFact> {
  const content = await read().catch((error: unknown): ResultBlock[] => [
    { type: "text", text: errorMessage(error) },
  ]);
  return { type: "context", kind: "attachment", title, content: content.map(bounded) };
}

const bounded = (block: ResultBlock): ResultBlock =>
  block.type === "text" ? { type: "text", text: clip(block.text, maxChars) } : block;
