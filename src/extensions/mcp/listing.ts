/** A server's lists, as far as they are acceptable: named, bounded and cleaned. */

import {
  type Client,
  type Prompt,
  type RequestOptions,
  type Resource,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { clip } from "../../base/clip.ts";
import { terminalLine, toTerminal } from "../../base/escape-terminal.ts";
import { attempt, isRecord, isTooDeep } from "../../base/guards.ts";
import type { ToolDefinition } from "../../protocol/model.ts";

export type RemoteTool = {
  /** The server's own name for it. */
  remote: string;
  definition: ToolDefinition;
  /** The server's property names that the API does not accept, by their replacement. */
  renamed: ReadonlyMap<string, string>;
};

export type Lists = Awaited<ReturnType<typeof readLists>>;

/** The most of each that one server may list. */
const most = { tools: 300, prompts: 100, resources: 500 };

const instructionChars = 1_000;
const descriptionChars = 2_000;
const lineChars = 200;
const uriChars = 1_000;
const schemaChars = 20_000;
const schemaDepth = 24;

/** Rejects when the tools cannot be listed; without the rest, the server is still useful. */
export async function readLists(
  server: string,
  client: Client,
  options: { timeout: number; signal: AbortSignal },
) {
  const can = client.getServerCapabilities();
  const [tools, prompts, resources] = await Promise.all([
    can?.tools ? listTools(client, options) : null,
    can?.prompts ? client.listPrompts({}, options).catch(() => null) : null,
    can?.resources ? client.listResources({}, options).catch(() => null) : null,
  ]);
  return {
    ...acceptTools(server, tools?.tools.slice(0, most.tools) ?? []),
    prompts: prompts?.prompts.slice(0, most.prompts).flatMap(acceptPrompt) ?? [],
    resources: resources?.resources.slice(0, most.resources).flatMap(acceptResource) ?? [],
    /** The server's words on how to use it. */
    instructions: clean(client.getInstructions() ?? "", instructionChars),
  };
}

/** The client rejects a list for one malformed tool: such a list is read again, leniently. */
const listTools = (client: Client, options: RequestOptions) =>
  client.listTools({}, options).catch((error: unknown) => {
    if (!(error instanceof SdkError) || error.code !== SdkErrorCode.InvalidResult) throw error;
    return client.request({ method: "tools/list" }, looseTools, options);
  });

const looseTool = z.object({
  name: z.string().catch(""),
  description: z.string().optional().catch(undefined),
  inputSchema: z.looseObject({}).catch({}),
});
const looseTools = z.object({ tools: z.array(looseTool) });

/** `problems`: the rejected tools, with the reasons. */
function acceptTools(server: string, listed: readonly z.infer<typeof looseTool>[]) {
  const tools = new Map<string, RemoteTool>();
  const problems: string[] = [];
  for (const { name: remote, description = "", inputSchema } of listed) {
    const name = toolName(server, remote);
    const shown = terminalLine(remote, lineChars);
    const { schema, renamed } = withPlainNames(inputSchema);
    const input_schema = acceptSchema(schema);
    if (remote === "" || tools.has(name)) problems.push(`${shown}: its name is not unique`);
    else if (typeof input_schema === "string")
      problems.push(`${shown}: its schema ${input_schema}`);
    else {
      const definition = { name, description: clean(description, descriptionChars), input_schema };
      tools.set(name, { remote, definition, renamed });
    }
  }
  return { tools: [...tools.values()], problems };
}

const plainName = /^[\w.-]{1,64}$/;

/** Properties such as `filter[name]` get names that the API accepts. */
function withPlainNames(schema: unknown) {
  const renamed = new Map<string, string>();
  if (!isRecord(schema) || !isRecord(schema["properties"])) return { schema, renamed };
  const { properties, required } = schema;
  const ours = new Map<unknown, string>();
  for (const name of Object.keys(properties).filter((theirs) => !plainName.test(theirs))) {
    let plain = name.replace(/[^\w.-]/g, "_").slice(0, 50) || "_";
    while (Object.hasOwn(properties, plain) || renamed.has(plain)) plain += "_";
    ours.set(name, plain);
    renamed.set(plain, name);
  }
  const entries = Object.entries(properties).map(([name, of]) => [ours.get(name) ?? name, of]);
  const plain = { ...schema, properties: Object.fromEntries(entries) };
  if (!Array.isArray(required)) return { schema: plain, renamed };
  const names = required.map((name: unknown) => ours.get(name) ?? name);
  return { schema: { ...plain, required: names }, renamed };
}

const schemaShape = z.looseObject({
  type: z.literal("object").catch("object"),
  properties: z.record(z.string().regex(plainName), z.unknown()).nullish(),
  required: z.array(z.string()).nullish(),
});

/**
 * As the API takes it, or why it cannot: one that it refused would end the session, whose tools are
 * fixed. Alternatives at the top are left to the server, which checks its inputs itself.
 */
function acceptSchema(schema: unknown): ToolDefinition["input_schema"] | string {
  const text = attempt(() => JSON.stringify(schema) ?? "", "");
  if (text.length > schemaChars || isTooDeep(schema, schemaDepth)) return "is too large";
  const cleaned: unknown = JSON.parse(text || "null", (_, inner) =>
    typeof inner === "string" ? toTerminal(inner) : inner,
  );
  const parsed = schemaShape.safeParse(cleaned);
  if (!parsed.success) return "is not one that the API accepts";
  const { $schema: _, oneOf: _one, anyOf: _any, allOf: _all, ...accepted } = parsed.data;
  const { properties, required, ...rest } = accepted;
  // Some servers of models refuse an object that names none.
  return { ...rest, properties: properties ?? {}, ...(required && { required }) };
}

const acceptPrompt = ({ name, description = "", arguments: args = [] }: Prompt) =>
  plainName.test(name)
    ? [
        {
          name,
          description: terminalLine(description, lineChars),
          arguments: args.slice(0, 20).map((arg) => ({
            name: terminalLine(arg.name, lineChars),
            required: arg.required ?? false,
          })),
        },
      ]
    : [];

/** A URI with whitespace or control characters could not be named in a prompt. */
const acceptResource = ({ uri, name, description = "", mimeType = "" }: Resource) =>
  uri.length > uriChars || terminalLine(uri, uriChars) !== uri || /\s/.test(uri)
    ? []
    : [
        {
          uri,
          name: terminalLine(name, lineChars),
          description: terminalLine(description, lineChars),
          mimeType: terminalLine(mimeType, lineChars),
        },
      ];

/** The longest tool name that all APIs accept. */
const maxNameChars = 64;

/** `mcp__SERVER__TOOL`, always the same for the same tool: a long name keeps its start and ends in a hash. */
function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= maxNameChars) return name;
  const hash = Bun.CryptoHasher.hash("sha256", `${server} ${tool}`, "hex");
  return `${name.slice(0, maxNameChars - 9)}_${hash.slice(0, 8)}`;
}

export const clean = (text: string, chars: number): string => clip(toTerminal(text), chars);
