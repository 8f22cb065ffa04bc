/** The MCP servers of a session: which there are, what the model gets of them, and how they are shown. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../../../package.json";
import type { Environment } from "../../base/environment.ts";
import { errorMessage } from "../../base/format.ts";
import { attempt, parseJsonc } from "../../base/guards.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import type { Flags } from "../../config/flags.ts";
import type { Paths } from "../../config/paths.ts";
import type { Consent, Settings } from "../../config/settings.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ModelRules, ToolDefinition } from "../../protocol/model.ts";
import type { Launcher } from "../../tools/shell/launch.ts";
import { parseServers, readProjectFiles, shownConfig, stateFile, under } from "./config.ts";
import type { Hub } from "./hub.ts";
import type { Timeouts } from "./connection.ts";
import type { Scope, Server, ServerSetup, ServerState } from "./server.ts";

type ServerOptions = {
  flags: Pick<Flags, "sources" | "mcp">;
  consent?: Pick<Consent, "enableAllProjectMcpServers" | "enabledMcpjsonServers">;
  settings: Settings;
  paths: Pick<Paths, "mcp" | "mcpLogins" | "foreignServers">;
  /** The opened folder, and the root of its project. */
  project: { root: string; folder: string; isTrusted: boolean };
  cwd: string;
  env: Environment;
};

type OpenedServers = {
  /** Null: no servers are configured. */
  hub: Hub | null;
  /** Problems of the configuration, one sentence each. */
  notices: string[];
};

/**
 * Starts no server; the hub is loaded only when there are any. `env`: for servers, without keys. Throws
 * `UsageError` for a bad `--mcp-config`.
 */
export async function openServers(
  options: ServerOptions,
  env: Record<string, string>,
  launch?: Launcher["program"],
): Promise<OpenedServers> {
  const { settings, paths, project, cwd } = options;
  const { servers, problems } = await collectServers(options);
  if (servers.length === 0) return { hub: null, notices: problems };
  const { Hub } = await import("./hub.ts");
  const { loginStore } = await import("./login.ts");
  const hub = new Hub({
    version,
    servers,
    cwd,
    env,
    launch,
    logins: loginStore(paths.mcpLogins),
    timeouts: readTimeouts(options.env),
    denied: settings.permissions.deny,
    saveApproval: (name, config) => stateFile(paths.mcp).approve(project.root, name, config),
  });
  const waiting = servers.flatMap(({ name, isApproved }) => (isApproved ? [] : name)).join(", ");
  const ask = `MCP servers of this project need your approval: ${waiting}. Run mini-claude mcp approve NAME, or open /mcp.`;
  return { hub, notices: [...problems, ...(waiting === "" ? [] : [ask])] };
}

/** The servers that a subagent shares with the run that started it. `only`: its tools; absent: all. */
export function sharedServers(hub: Hub | null, only: readonly string[] | undefined): OpenedServers {
  const usesThem = !only || only.some((name) => name.startsWith("mcp__"));
  const own = only ? hub?.narrowed(only) : hub;
  return { hub: (usesThem && own) || null, notices: [] };
}

/** Claude Code keeps much else in that file. */
const maxForeignBytes = 16 * 1024 * 1024;

/** The servers of all sources; on equal names the first wins. */
async function collectServers({ flags, consent, settings, paths, project, cwd }: ServerOptions) {
  const { root } = project;
  const state = stateFile(paths.mcp);
  const servers = new Map<string, ServerSetup>();
  const problems: string[] = [];
  function add(scope: Scope, parsed: ReturnType<typeof parseServers>): void {
    problems.push(...parsed.problems);
    for (const [name, config] of parsed.servers) {
      const isApproved =
        scope !== "project" ||
        consent?.enableAllProjectMcpServers ||
        consent?.enabledMcpjsonServers.includes(name) ||
        state.isApproved(root, name, config);
      if (!servers.has(name)) servers.set(name, { name, scope, config, isApproved });
    }
  }
  for (const flag of flags.mcp.configs) add("flag", fromFlag(flag, cwd));
  if (!flags.mcp.strict) {
    try {
      add("local", parseServers({ mcpServers: state.at(root).mcpServers }, "The local servers"));
    } catch (error) {
      problems.push(errorMessage(error));
    }
    if (project.isTrusted && flags.sources.includes("project"))
      for (const found of await readProjectFiles(project)) add("project", found);
    if (flags.sources.includes("user")) {
      add("user", parseServers({ mcpServers: settings.mcpServers }, "The settings"));
      const file = paths.foreignServers;
      const all = parseJsonc((await textOfRegular(file, maxForeignBytes)) ?? "");
      const here = under(under(all, "projects"), root);
      if (under(here, "mcpServers")) add("local", parseServers(here, file));
      if (under(all, "mcpServers")) add("user", parseServers(all, file));
    }
  }
  return { servers: [...servers.values()], problems };
}

function fromFlag(flag: string, cwd: string) {
  const isJson = flag.trimStart().startsWith("{");
  const text = isJson ? flag : attempt(() => readFileSync(resolve(cwd, flag), "utf8"), null);
  if (text === null) throw new UsageError(`--mcp-config: ${flag} cannot be read.`);
  const parsed = parseServers(parseJsonc(text), isJson ? "--mcp-config" : flag);
  const [problem] = parsed.problems;
  if (problem !== undefined) throw new UsageError(`--mcp-config: ${problem}`);
  return parsed;
}

/** In milliseconds, as the variables of Claude Code are. */
function readTimeouts(env: Environment): Timeouts {
  const within = (name: string, otherwise: number): number =>
    Number(env[name]) > 0 ? Number(env[name]) : otherwise;
  return {
    connect: within("MCP_TIMEOUT", 30_000),
    call: within("MCP_TOOL_TIMEOUT", 600_000),
    wait: 10_000,
  };
}

/**
 * Definitions of MCP tools that a session begins with: all of them, or none when they are long. A
 * resumed session keeps its definitions, regardless of which servers are connected.
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
export const listPrompts = (hub: Hub | null) =>
  (hub?.servers ?? []).flatMap((server) =>
    server.lists.prompts.map(({ name, description, arguments: args }) => ({
      name: `mcp__${server.name}__${name}`,
      description: description || `prompt of the MCP server ${server.name}`,
      argumentHint: args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`)).join(" "),
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

/** The servers of a session for the screen. */
export const mcpService = (hub: Hub) => ({
  servers: () => hub.servers.map(describeServer),
  approve: (name: string) => hub.approve(name),
  reconnect: (name: string) => hub.server(name).reconnect(),
  watch: (changed: () => void) => hub.subscribe(changed),
  reportFailures: (report: (sentence: string) => void) => hub.reportFailures(report),
});

const describeServer = (server: Server) => ({
  name: server.name,
  scope: server.scope,
  state: server.state,
  where: shownConfig(server),
  tools: server.lists.tools.map(({ definition }) => definition),
  prompts: server.lists.prompts.map(({ name }) => name),
  resources: server.lists.resources.length,
  problems: server.problems,
  stderr: server.stderr,
});

const maxNames = 20;

/** Resources whose name contains the query, as `@` completes them. */
export function resourceNames(hub: Hub | null, query: string): string[] {
  if (!hub || query === "") return [];
  const names = hub.servers.flatMap(({ name, lists }) =>
    lists.resources.map(({ uri }) => `${name}:${uri}`),
  );
  const wanted = query.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, maxNames);
}

/** The states by their names in Claude Code. */
const statuses: Partial<Record<ServerState, string>> = {
  waiting: "pending",
  connecting: "pending",
  unapproved: "disabled",
  login: "needs-auth",
  closed: "failed",
};

export const mcpStatuses = (hub: Hub | null) =>
  (hub?.servers ?? []).map(({ name, state, problems, lists }) => ({
    name,
    status: statuses[state] ?? state,
    ...(state === "failed" ? { error: problems.join(" ") } : {}),
    tools: lists.tools.map(({ definition }) => ({
      name: definition.name.replace(`mcp__${name}__`, ""),
      description: definition.description,
    })),
  }));
