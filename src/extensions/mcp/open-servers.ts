/** Opens the MCP servers of a session. The hub is loaded only when there are any. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import type { Flags } from "../../config/flags.ts";
import type { Paths } from "../../config/paths.ts";
import type { Consent, Settings } from "../../config/settings.ts";
import type { Environment } from "../../base/environment.ts";
import type { Launch } from "../launch.ts";
import type { Hub } from "./hub.ts";
import type { Timeouts } from "./server.ts";
import { collectServers, stateFile } from "./sources.ts";

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

/** Starts no server. `env`: for servers, without keys. Throws `UsageError` for a bad `--mcp-config`. */
export async function openServers(
  options: ServerOptions,
  env: Record<string, string>,
  launch?: Launch,
): Promise<OpenedServers> {
  const { flags, settings, paths, project, cwd } = options;
  if (!mayHaveServers(options)) return { hub: null, notices: [] };
  const reads = { user: flags.sources.includes("user"), project: readsProject(options) };
  const { root, folder } = project;
  const state = stateFile(paths.mcp);
  const { servers, problems } = await collectServers({
    user: reads.user ? settings.mcpServers : {},
    claudeCode: reads.user ? paths.foreignServers : null,
    project: reads.project ? { root, folder } : null,
    root,
    state,
    flags: flags.mcp.configs,
    strict: flags.mcp.strict,
    cwd,
    approves: (name) =>
      options.consent?.enableAllProjectMcpServers ||
      options.consent?.enabledMcpjsonServers.includes(name) ||
      false,
  });
  if (servers.length === 0) return { hub: null, notices: problems };
  const { Hub } = await import("./hub.ts");
  const { loginStore } = await import("./logins.ts");
  const hub = new Hub({
    version,
    servers,
    cwd,
    env,
    launch,
    logins: loginStore(paths.mcpLogins),
    timeouts: readTimeouts(options.env),
    denied: settings.permissions.deny,
    saveApproval: (name, config) => state.approve(root, name, config),
  });
  const waiting = hub.servers.filter((server) => server.state === "unapproved");
  const names = waiting.map(({ name }) => name).join(", ");
  const ask = `MCP servers of this project need your approval: ${names}. Run mini-claude mcp approve NAME, or open /mcp.`;
  return { hub, notices: [...problems, ...(waiting.length > 0 ? [ask] : [])] };
}

/** The servers that a subagent shares with the run that started it. `only`: its tools; absent: all. */
export function sharedServers(hub: Hub | null, only: readonly string[] | undefined): OpenedServers {
  const usesThem = !only || only.some((name) => name.startsWith("mcp__"));
  const own = only ? hub?.narrowed(only) : hub;
  return { hub: (usesThem && own) || null, notices: [] };
}

const readsProject = ({ flags, project }: ServerOptions): boolean =>
  project.isTrusted && flags.sources.includes("project");

/** Only checks whether there is anything to read. */
function mayHaveServers(options: ServerOptions): boolean {
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

/** In milliseconds, as the variables of Claude Code are. */
export function readTimeouts(env: Environment): Timeouts {
  const within = (name: string, otherwise: number): number => {
    const ms = Number(env[name]);
    return Number.isInteger(ms) && ms > 0 ? ms : otherwise;
  };
  return {
    connect: within("MCP_TIMEOUT", 30_000),
    call: within("MCP_TOOL_TIMEOUT", 600_000),
    wait: 10_000,
  };
}
