/** Asks a connected server for everything that it lists. */

import type { Client } from "@modelcontextprotocol/client";
import { clean } from "./clean.ts";
import {
  promptsIn,
  resourcesIn,
  toolsIn,
  type RemotePrompt,
  type RemoteResource,
  type RemoteTool,
} from "./listing.ts";

export type Lists = {
  tools: readonly RemoteTool[];
  prompts: readonly RemotePrompt[];
  resources: readonly RemoteResource[];
  /** Their URIs have variables, as in RFC 6570. */
  templates: readonly RemoteResource[];
  /** The server's words on how to use it. */
  instructions: string;
  /** What is left out, and why. */
  problems: readonly string[];
};

export const noLists: Lists = {
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
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
  const [tools, prompts, resources, templates] = await Promise.all([
    can?.tools ? client.listTools({}, options) : null,
    can?.prompts ? client.listPrompts({}, options).catch(() => null) : null,
    can?.resources ? client.listResources({}, options).catch(() => null) : null,
    can?.resources ? client.listResourceTemplates({}, options).catch(() => null) : null,
  ]);
  return {
    ...toolsIn(server, tools?.tools ?? []),
    prompts: promptsIn(prompts?.prompts ?? []),
    resources: resourcesIn(resources?.resources ?? []),
    templates: resourcesIn(
      templates?.resourceTemplates.map(({ uriTemplate: uri, ...one }) => ({ ...one, uri })) ?? [],
    ),
    instructions: clean(client.getInstructions() ?? "", instructionChars),
  };
}
