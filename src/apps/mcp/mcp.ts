/** `mini-claude mcp`: adds, lists, removes and approves MCP servers. */

import { join } from "node:path";
import { version } from "../../../package.json";
import { parseFlags } from "../../config/flags.ts";
import { loadSettings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { configOf, isServerName, type ServerConfig, shownConfig } from "../../mcp/config.ts";
import { openServers } from "../../mcp/open-servers.ts";
import { ServerFiles } from "../../mcp/server-files.ts";
import type { Server } from "../../mcp/server.ts";
import { StateFile } from "../../mcp/state-file.ts";
import { openProject } from "../../project/open-project.ts";
import { commandEnv } from "../../project/program-path.ts";
import { parseJson } from "../../protocol/guards.ts";
import { toTerminal } from "../../protocol/to-terminal.ts";
import { type McpScope, parseMcpAdd, scopeOf } from "./parse-add.ts";

const mcpHelp = `mini-claude mcp add NAME [-s local|project|user] [-e KEY=VALUE] -- COMMAND ARGS...
mini-claude mcp add NAME [-s SCOPE] [-t http|sse] [-H "NAME: VALUE"] URL
mini-claude mcp add-json NAME JSON [-s SCOPE]
mini-claude mcp list               the servers of this folder, and whether they connect
mini-claude mcp get NAME
mini-claude mcp remove NAME [-s SCOPE]
mini-claude mcp approve [NAME]     allow servers of this project's .mcp.json; --reset asks again
mini-claude mcp login NAME         log in to a server in the browser; --logout forgets it

local: only you, only here. project: .mcp.json, for everyone who works here. user: all projects.
`;

/** Returns the exit code. Throws with a sentence. */
export async function run(args: readonly string[], options: SubcommandIo): Promise<number> {
  const [command, ...rest] = args;
  if (/^(-h|--help)$/.test(rest[0] ?? "")) return run([], options);
  switch (command) {
    case "add": {
      const { name, scope, config } = parseMcpAdd(rest);
      return add(name, scope, config, await openFolder(options));
    }
    case "add-json":
      return addJson(rest, await openFolder(options));
    case "list":
      return list(await openFolder(options));
    case "get":
      return get(rest[0], await openFolder(options));
    case "remove":
      return remove(rest, await openFolder(options));
    case "approve":
    case "reset-project-choices":
      return approve(command === "approve" ? rest : ["--reset"], await openFolder(options));
    case "login":
      return login(rest, await openFolder(options));
    case undefined:
    case "help":
    case "-h":
    case "--help":
      options.out(mcpHelp);
      return 0;
    default:
      throw new UsageError(`Unknown command mcp ${command}. See mini-claude mcp --help.`);
  }
}

type Folder = Awaited<ReturnType<typeof openFolder>>;

async function openFolder(options: SubcommandIo) {
  const { paths, env, cwd, out } = options;
  const flags = parseFlags([]);
  const opened = await openProject({ flags, paths, env, cwd }, null);
  if (typeof opened === "number") throw new Error("The folder cannot be opened.");
  const { project } = opened;
  const { settings } = loadSettings({ env, file: paths.settings, flags: [] });
  const state = new StateFile(paths.mcp);
  const files = new ServerFiles({
    settings: paths.settings,
    user: settings.mcpServers,
    root: project.root,
    state,
  });
  const open = () =>
    openServers({ flags, settings, paths, project, cwd, env }, commandEnv(env, project));
  return { out, paths, project, state, files, open };
}

function add(
  name: string,
  scope: McpScope,
  config: ServerConfig,
  { files, state, project, out }: Folder,
) {
  if (!isServerName(name))
    throw new UsageError(
      `${JSON.stringify(name)} cannot be a server's name: use letters, digits, “-” and “_”.`,
    );
  const file = files.add(name, scope, config);
  // Adding a server to the project approves it.
  if (scope === "project") state.approve(project.root, name, config);
  out(`Added ${name} to ${file}.\n`);
  return 0;
}

function addJson(args: readonly string[], folder: Folder): number {
  const { values, positionals } = parseOptions(args, { scope: { type: "string", short: "s" } });
  const [name, json] = positionals;
  if (name === undefined || json === undefined)
    throw new UsageError("mcp add-json needs a name and JSON.");
  const value = parseJson(json);
  if (value === undefined) throw new UsageError("This is not valid JSON.");
  const config = configOf(value);
  if (typeof config === "string") throw new UsageError(`The server ${config}.`);
  return add(name, scopeOf(values.scope === undefined ? [] : [values.scope]), config, folder);
}

async function list({ open, out }: Folder): Promise<number> {
  const { hub, notices } = await open();
  for (const notice of notices) out(`${notice}\n`);
  if (!hub) out("No MCP servers yet. Add one with mini-claude mcp add.\n");
  if (!hub) return 0;
  hub.start();
  await hub.settled(15_000);
  for (const server of hub.servers)
    out(`${server.name} (${server.scope}): ${shownConfig(server)} - ${stateOf(server)}\n`);
  await hub.close();
  return 0;
}

const stateOf = ({ state, lists, problems }: Server): string =>
  toTerminal(
    state === "connected"
      ? `connected, ${lists.tools.length} tools`
      : [state, ...problems].join(": ").replaceAll("\n", " "),
  );

async function get(name: string | undefined, { open, out }: Folder): Promise<number> {
  const { hub } = await open();
  const server = hub?.servers.find((one) => one.name === name);
  if (!server) throw new Error(`There is no MCP server ${name ?? ""}. See mini-claude mcp list.`);
  const { config, scope } = server;
  out(`${server.name}\n  scope: ${scope}\n  type: ${config.type}\n  ${shownConfig(server)}\n`);
  return 0;
}

function remove(args: readonly string[], { files, out }: Folder): number {
  const { values, positionals } = parseOptions(args, { scope: { type: "string", short: "s" } });
  const [name] = positionals;
  if (name === undefined) throw new UsageError("mcp remove needs a name.");
  const file = files.remove(name, values.scope === undefined ? null : scopeOf([values.scope]));
  out(`Removed ${name} from ${file}.\n`);
  return 0;
}

async function approve(args: readonly string[], folder: Folder): Promise<number> {
  const { values, positionals } = parseOptions(args, { reset: { type: "boolean" } });
  const { project, state, open, out } = folder;
  if (values.reset) {
    state.forgetApprovals(project.root);
    out("The servers of this project need approval again.\n");
    return 0;
  }
  if (!project.isTrusted)
    throw new Error("This folder is not trusted. Run mini-claude trust first.");
  const { hub } = await open();
  const waiting = hub?.servers.filter(({ state: now }) => now === "unapproved") ?? [];
  const chosen = waiting.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  for (const server of chosen) {
    state.approve(project.root, server.name, server.config);
    out(`Approved ${server.name}: ${shownConfig(server)}\n`);
  }
  if (chosen.length === 0) out(`No server needs approval in ${join(project.root, ".mcp.json")}.\n`);
  return 0;
}

async function login(args: readonly string[], { open, paths, out }: Folder): Promise<number> {
  const { values, positionals } = parseOptions(args, { logout: { type: "boolean" } });
  const { hub } = await open();
  const server = hub?.servers.find(({ name }) => name === positionals[0]);
  const config = server?.config;
  if (!server || !config || config.type === "stdio" || config.type === "sdk")
    throw new UsageError("mcp login needs the name of an HTTP server.");
  const { LoginStore } = await import("../../mcp/login-store.ts");
  const logins = new LoginStore(paths.mcpLogins);
  if (values.logout) {
    logins.forget(config.url);
    out(`Logged out of ${server.name}.\n`);
    return 0;
  }
  const { logIn } = await import("../../mcp/login.ts");
  await logIn(config, {
    version,
    logins,
    show: (url) => out(`Open this address to log in:\n${toTerminal(url.href)}\n`),
  });
  out(`Logged in to ${server.name}.\n`);
  return 0;
}
