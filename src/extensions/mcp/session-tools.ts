/** What a session takes from its MCP servers: tools, commands, and news of them. */

import type { Settings } from "../../config/settings.ts";
import type { ContextFact, Entry } from "../../protocol/entry.ts";
import type { ModelRules, ToolDefinition } from "../../protocol/model.ts";
import type { Hub } from "./hub.ts";

/** What the model of a session does not know yet. Looks again only when a server has changed. */
export function announcerOf(hub: Hub): (path: readonly Entry[]) => ContextFact[] {
  let told = { version: -1, entries: 0 };
  return (path) => {
    const { version: known, entries } = told;
    const isSame = known === hub.version && entries <= path.length;
    told = { version: hub.version, entries: path.length };
    return isSame && !path.slice(entries).some(({ type }) => type === "cut")
      ? []
      : hub.announcements(path);
  };
}

/**
 * Definitions of MCP tools that a session begins with: all of them, or none when they are long. A
 * resumed session keeps those that it has, whatever has connected by now.
 */
export async function firstTools(
  hub: Hub | null,
  path: readonly Entry[],
  settings: Pick<Settings, "mcpToolShare">,
  rules: ModelRules,
): Promise<ToolDefinition[]> {
  if (!hub) return [];
  hub.start();
  const known = knownTools(path);
  if (known && !lacksSearch(hub, path))
    return known.filter(({ name }) => hub.findTool(name) !== undefined);
  await hub.ready();
  return smallTools(hub, settings, rules);
}

/** Definitions that are sent from the start, as far as they are known by now. */
export const smallTools = (
  hub: Hub | null,
  { mcpToolShare }: Pick<Settings, "mcpToolShare">,
  { windowTokens, charsPerToken }: ModelRules,
): ToolDefinition[] =>
  hub?.firstDefinitions(mcpToolShare * windowTokens * charsPerToken.code) ?? [];

/** Prompts of servers, as commands. */
export const promptsOf = (hub: Hub | null) =>
  (hub?.servers ?? []).flatMap((server) =>
    server.lists.prompts.map(({ name, description, arguments: args }) => ({
      name: `mcp__${server.name}__${name}`,
      description: description || `prompt of the MCP server ${server.name}`,
      argumentHint: args.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)).join(" "),
      kind: "command" as const,
    })),
  );

/** A resumed session began without servers, and so without the tool that finds theirs. */
export function lacksSearch(hub: Hub | null, path: readonly Entry[]): boolean {
  const known = knownTools(path);
  if (!hub || !known) return false;
  return !known.some(({ name }) => name === hub.searchTool.name);
}

const knownTools = (path: readonly Entry[]): ToolDefinition[] | undefined =>
  path.findLast((entry) => entry.type === "session")?.tools;
