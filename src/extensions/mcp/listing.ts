/** A server's lists, as far as they are acceptable: named, bounded and cleaned. */

import type { Client, Prompt, Resource, Tool } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ToolDefinition } from "../../protocol/model.ts";
import { attempt, isRecord, isTooDeep } from "../../base/guards.ts";
import { clip } from "../../base/clip.ts";
import { terminalLine, toTerminal } from "../../base/escape-terminal.ts";
import { connectionAdvice } from "../../base/connection-faults.ts";
import { errorMessage } from "../../base/format.ts";

export type RemoteTool = {
  /** The server's own name for it. */
  remote: string;
  title: string;
  definition: ToolDefinition;
  /** The server's property names that the API does not accept, by their replacement. */
  renamed?: ReadonlyMap<string, string>;
};

export type RemotePrompt = {
  name: string;
  description: string;
  arguments: { name: string; required: boolean }[];
};

export type RemoteResource = { uri: string; name: string; description: string; mimeType: string };

export type Lists = {
  tools: readonly RemoteTool[];
  prompts: readonly RemotePrompt[];
  resources: readonly RemoteResource[];
  /** The server's words on how to use it. */
  instructions: string;
  /** Left out, with the reasons. */
  problems: readonly string[];
};

export const noLists: Lists = {
  tools: [],
  prompts: [],
  resources: [],
  instructions: "",
  problems: [],
};

const instructionChars = 1_000;

/** Rejects when the tools cannot be listed; without the rest, the server is still useful. */
export async function readLists(
  server: string,
  client: Client,
  options: { timeout: number; signal: AbortSignal },
): Promise<Lists> {
  const can = client.getServerCapabilities();
  const [tools, prompts, resources] = await Promise.all([
    can?.tools ? client.listTools({}, options) : null,
    can?.prompts ? client.listPrompts({}, options).catch(() => null) : null,
    can?.resources ? client.listResources({}, options).catch(() => null) : null,
  ]);
  return {
    ...acceptTools(server, tools?.tools ?? []),
    prompts: acceptPrompts(prompts?.prompts ?? []),
    resources: acceptResources(resources?.resources ?? []),
    instructions: clean(client.getInstructions() ?? "", instructionChars),
  };
}

/** The most of each that one server may list. */
const most = { tools: 300, prompts: 100, resources: 500 };

const descriptionChars = 2_000;
const lineChars = 200;
const uriChars = 1_000;
const schemaLimits = { chars: 20_000, depth: 24 };

type ListedTool = Pick<Tool, "name" | "title" | "description"> & { inputSchema: unknown };

/** Also the names of those that are left out, each with the reason. */
function acceptTools(
  server: string,
  listed: readonly ListedTool[],
): { tools: RemoteTool[]; problems: string[] } {
  const tools = new Map<string, RemoteTool>();
  const problems: string[] = [];
  for (const tool of listed.slice(0, most.tools)) {
    const { name: remote, title = "", description = "" } = tool;
    const name = toolName(server, remote);
    const shown = terminalLine(remote, lineChars);
    const { schema, renamed } = withPlainNames(tool.inputSchema);
    const input_schema = acceptSchema(schema);
    if (remote === "" || tools.has(name)) problems.push(`${shown}: its name is not unique`);
    else if (typeof input_schema === "string")
      problems.push(`${shown}: its schema ${input_schema}`);
    else {
      const definition = { name, description: clean(description, descriptionChars), input_schema };
      const known = { remote, title: terminalLine(title, lineChars) || shown, definition };
      tools.set(name, renamed.size > 0 ? { ...known, renamed } : known);
    }
  }
  if (listed.length > most.tools) problems.push(`only the first ${most.tools} tools are used`);
  return { tools: [...tools.values()], problems };
}

const plainName = /^[\w.-]{1,64}$/;

/** Properties such as `filter[name]` get names that the API accepts. */
function withPlainNames(schema: unknown): { schema: unknown; renamed: Map<string, string> } {
  const renamed = new Map<string, string>();
  if (!isRecord(schema) || !isRecord(schema["properties"])) return { schema, renamed };
  const { properties, required } = schema;
  const taken = new Set(Object.keys(properties));
  const rename = (name: string): string => {
    if (plainName.test(name)) return name;
    const known = renamed.entries().find(([, theirs]) => theirs === name)?.[0];
    if (known !== undefined) return known;
    const plain =
      name
        .replace(/[^\w.-]+/g, "_")
        .replace(/_+$/, "")
        .slice(0, 56) || "property";
    let ours = plain;
    for (let count = 2; taken.has(ours); count++) ours = `${plain}_${count}`;
    taken.add(ours);
    renamed.set(ours, name);
    return ours;
  };
  const entries = Object.entries(properties).map(([name, value]) => [rename(name), value]);
  const names = Array.isArray(required)
    ? {
        required: required.map((name: unknown) => (typeof name === "string" ? rename(name) : name)),
      }
    : {};
  return { schema: { ...schema, properties: Object.fromEntries(entries), ...names }, renamed };
}

const schemaShape = z.looseObject({
  type: z.literal("object").catch("object"),
  properties: z.record(z.string().regex(plainName), z.unknown()).exactOptional(),
  required: z.array(z.string()).exactOptional(),
});

/**
 * As the API takes it, or why it cannot: one that it refused would end the session, whose tools are
 * fixed. Alternatives at the top are left to the server, which checks its inputs itself.
 */
function acceptSchema(schema: unknown): ToolDefinition["input_schema"] | string {
  const cleaned = cleanJson(schema, schemaLimits);
  if (cleaned === null) return "is too large";
  const parsed = schemaShape.safeParse(cleaned);
  if (!parsed.success) return "is not one that the API accepts";
  const { $schema: _, oneOf: _one, anyOf: _any, allOf: _all, ...accepted } = parsed.data;
  // Some servers of models refuse an object that names none.
  return { ...accepted, properties: accepted.properties ?? {} };
}

type ListedPrompt = Pick<Prompt, "name" | "description" | "arguments">;

const acceptPrompts = (listed: readonly ListedPrompt[]): RemotePrompt[] =>
  listed.slice(0, most.prompts).flatMap((prompt) =>
    /^[\w.-]{1,64}$/.test(prompt.name)
      ? {
          name: prompt.name,
          description: terminalLine(prompt.description ?? "", lineChars),
          arguments: (prompt.arguments ?? []).slice(0, 20).map(({ name, required = false }) => ({
            name: terminalLine(name, lineChars),
            required,
          })),
        }
      : [],
  );

type ListedResource = Pick<Resource, "uri" | "name" | "description" | "mimeType">;

/** A URI with whitespace or control characters could not be named in a prompt. */
const acceptResources = (listed: readonly ListedResource[]): RemoteResource[] =>
  listed.slice(0, most.resources).flatMap(({ uri, name, description = "", mimeType = "" }) =>
    uri.length > uriChars || terminalLine(uri, uriChars) !== uri || /\s/.test(uri)
      ? []
      : {
          uri,
          name: terminalLine(name, lineChars),
          description: terminalLine(description, lineChars),
          mimeType: terminalLine(mimeType, lineChars),
        },
  );

/** The longest tool name that all APIs accept. */
const maxNameChars = 64;

/** `mcp__SERVER__TOOL`, always the same for the same tool: a long name keeps its start and ends in a hash. */
export function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= maxNameChars) return name;
  const hash = Bun.CryptoHasher.hash("sha256", `${server} ${tool}`, "hex");
  return `${name.slice(0, maxNameChars - 9)}_${hash.slice(0, 8)}`;
}

/** The server that a tool's name belongs to; null: it is not a server's. */
export function parseServerName(name: string): string | null {
  return /^mcp__((?:(?!__).)+)__./.exec(name)?.[1] ?? null;
}

export const clean = (text: string, chars: number): string => clip(toTerminal(text), chars);

/** The same JSON with every text in it cleaned; null when it is larger or deeper than it may be. */
function cleanJson(value: unknown, limits: { chars: number; depth: number }): unknown {
  const text = attempt(() => JSON.stringify(value) ?? null, null);
  if (text === null || text.length > limits.chars || isTooDeep(value, limits.depth)) return null;
  return JSON.parse(text, (_, inner) => (typeof inner === "string" ? toTerminal(inner) : inner));
}

/** Characters of a server's message about a call. */
const messageChars = 300;

/** An error as a sentence. */
export function toSentence(error: unknown): string {
  const words = terminalLine(errorMessage(error), messageChars);
  const sentence = /[.!?]$/.test(words) ? words : `${words}.`;
  const advice = connectionAdvice(error);
  return advice === null ? sentence : `${sentence} ${advice}`;
}

type ToolProgress = { progress: number; total?: number | undefined; message?: string | undefined };

/** "3 of 10 files" */
export function progressLine({ progress, total, message = "" }: ToolProgress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return terminalLine(`${count} ${message}`, messageChars);
}
