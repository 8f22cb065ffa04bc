/** The MCP servers of a session; loaded only when there are any. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import type { Settings } from "../config/settings.ts";
import type { Hub } from "../mcp/hub.ts";
import type { ContextFact, Entry } from "../protocol/entry.ts";
import type { ModelRules, ToolDefinition } from "../protocol/model.ts";
import type { CommandInfo } from "./prompt-files.ts";
import type { RunOptions } from "./run-types.ts";
import type { StartOptions } from "./start-options.ts";

type Options = Pick<StartOptions, "flags" | "settings" | "paths" | "project" | "cwd" | "env">;

type OpenedMcp = {
  /** Null: no servers are configured. */
  hub: Hub | null;
  /** What is wrong with the configuration, one sentence each. */
  notices: string[];
};

/** Starts no server. `env`: for servers, without keys. Throws `UsageError` for a bad `--mcp-config`. */
export async function openMcp(options: Options, env: Record<string, string>): Promise<OpenedMcp> {
  const { flags, settings, paths, project, cwd } = options;
  if (!mayHaveServers(options)) return { hub: null, notices: [] };
  const { collectServers } = await import("../mcp/sources.ts");
  const { StateFile } = await import("../mcp/state-file.ts");
  const reads = { user: flags.sources.includes("user"), project: readsProject(options) };
  const { root, folder } = project;
  const state = new StateFile(paths.mcp);
  const { servers, problems } = await collectServers({
    user: reads.user ? settings.mcpServers : {},
    claudeCode: reads.user ? paths.foreignServers : null,
    project: reads.project ? { root, folder } : null,
    root,
    state,
    flags: flags.mcp.configs,
    strict: flags.mcp.strict,
    cwd,
  });
  if (servers.length === 0) return { hub: null, notices: problems };
  const { Hub } = await import("../mcp/hub.ts");
  const { LoginStore } = await import("../mcp/login-store.ts");
  const hub = new Hub({
    version,
    servers,
    cwd,
    env,
    logins: new LoginStore(paths.mcpLogins),
    timeouts: {
      connect: millisecondsIn(options.env["MCP_TIMEOUT"]) ?? 30_000,
      call: millisecondsIn(options.env["MCP_TOOL_TIMEOUT"]) ?? 600_000,
      wait: 10_000,
    },
    denied: settings.permissions.deny,
    saveApproval: (name, config) => state.approve(root, name, config),
  });
  const waiting = hub.servers.filter((server) => server.state === "unapproved");
  const names = waiting.map(({ name }) => name).join(", ");
  const ask = `MCP servers of this project need your approval: ${names}. Open /mcp, or run mini-claude mcp approve.`;
  return { hub, notices: [...problems, ...(waiting.length > 0 ? [ask] : [])] };
}

/** A subagent uses the servers of the run that started it, unless its tools are others. */
export function sharedWith({ mcp, startedBy, flags }: RunOptions): OpenedMcp | null {
  if (mcp === undefined || !startedBy) return null;
  const { only } = flags.tools;
  const usesThem = !only || only.some((name) => name.startsWith("mcp__"));
  const own = only ? mcp?.narrowed(only) : mcp;
  return { hub: (usesThem && own) || null, notices: [] };
}

/** What the model of a session does not know yet. Looks again only when a server has changed. */
export function announcerOf(hub: Hub): (path: readonly Entry[]) => ContextFact[] {
  let told = { version: -1, entries: 0 };
  return (path) => {
    const { version: known, entries } = told;
    const isSame = known === hub.version && entries <= path.length;
    told = { version: hub.version, entries: path.length };
    return isSame && !path.slice(entries).some(({ type }) => type === "cut") ? [] : hub.news(path);
  };
}

/**
 * Definitions of MCP tools that a session begins with: all of them, or none when they are long. A
 * resumed session keeps those that it has, whatever has connected by now.
 */
export async function firstTools(
  hub: Hub | null,
  path: readonly Entry[],
  { mcpToolShare }: Pick<Settings, "mcpToolShare">,
  rules: ModelRules,
): Promise<ToolDefinition[]> {
  if (!hub) return [];
  hub.start();
  const session = path.findLast((entry) => entry.type === "session");
  if (session && !lacksSearch(hub, path))
    return session.tools.filter(({ name }) => hub.findTool(name) !== undefined);
  await hub.ready();
  return smallTools(hub, { mcpToolShare }, rules);
}

/** Definitions that are sent from the start, as far as they are known by now. */
export const smallTools = (
  hub: Hub | null,
  { mcpToolShare }: Pick<Settings, "mcpToolShare">,
  { windowTokens, charsPerToken }: ModelRules,
): ToolDefinition[] =>
  hub?.firstDefinitions(mcpToolShare * windowTokens * charsPerToken.code) ?? [];

/** Prompts of servers, as commands. */
export const promptsOf = (hub: Hub | null): CommandInfo[] =>
  (hub?.servers ?? []).flatMap((server) =>
    server.lists.prompts.map(({ name, description, arguments: args }) => ({
      name: `mcp__${server.name}__${name}`,
      description: description || `prompt of the MCP server ${server.name}`,
      argumentHint: args.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)).join(" "),
      kind: "command",
    })),
  );

/** A resumed session began without servers, and so without the tool that finds theirs. */
export function lacksSearch(hub: Hub | null, path: readonly Entry[]): boolean {
  const session = path.findLast((entry) => entry.type === "session");
  if (!hub || !session) return false;
  return !session.tools.some(({ name }) => name === hub.searchTool.name);
}

const readsProject = ({ flags, project }: Options): boolean =>
  project.isTrusted && flags.sources.includes("project");

/** Only checks whether there is anything to read. */
function mayHaveServers(options: Options): boolean {
  const { flags, settings, paths, project } = options;
  if (flags.mcp.configs.length > 0) return true;
  if (flags.mcp.strict) return false;
  const files = readsProject(options) ? [project.root, project.folder] : [];
  return (
    Object.keys(settings.mcpServers).length > 0 ||
    existsSync(paths.mcp) ||
    (flags.sources.includes("user") && existsSync(paths.foreignServers)) ||
    files.some((folder) => existsSync(join(folder, ".mcp.json")))
  );
}

/** The variables of Claude Code are in milliseconds. */
function millisecondsIn(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
