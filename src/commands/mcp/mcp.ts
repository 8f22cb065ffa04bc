/** `mini-claude mcp`: adds, lists, removes and approves MCP servers. */

import { counted } from "../../base/format.ts";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../../package.json";
import { parseFlags } from "../../config/flags.ts";
import { loadSettings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { parseChoice, UsageError } from "../../config/usage-error.ts";
import {
  isServerName,
  parseConfig,
  serverFiles,
  shownConfig,
  stateFile,
  type ServerConfig,
} from "../../extensions/mcp/config.ts";
import { openServers } from "../../extensions/mcp/open-servers.ts";
import type { Server } from "../../extensions/mcp/server.ts";
import { openProject } from "../../trust/project/trust.ts";
import { commandEnv } from "../../trust/project/project.ts";
import { parseJson } from "../../base/guards.ts";
import { toTerminal } from "../../base/escape-terminal.ts";

const mcpHelp = `mini-claude mcp add NAME [-s local|project|user] [-e KEY=VALUE] -- COMMAND ARGS...
mini-claude mcp add NAME [-s SCOPE] [-H "NAME: VALUE"] URL
mini-claude mcp add-json NAME JSON [-s SCOPE]
mini-claude mcp list               list the servers of this folder, and whether they connect
mini-claude mcp get NAME
mini-claude mcp remove NAME [-s SCOPE]
mini-claude mcp approve [NAME]     allow servers of this project's .mcp.json; --reset asks again
mini-claude mcp login NAME         log in to a server in the browser; --logout forgets it

local: only you, only here. project: .mcp.json, for everyone who works here. user: all projects.
`;

/** Returns the exit code. Throws with a sentence. */
export async function run(args: readonly string[], options: SubcommandIo): Promise<number> {
  const [name = "help", ...rest] = args;
  const command = commands.get(name);
  if ([name, rest[0] ?? ""].some((word) => /^(-h|--help)$/.test(word)) || name === "help")
    options.out(mcpHelp);
  else if (command) await command(rest, await openFolder(options));
  else throw new UsageError(`Unknown command mcp ${name}. See mini-claude mcp --help.`);
  return 0;
}

type McpFolder = Awaited<ReturnType<typeof openFolder>>;

type McpCommand = (args: readonly string[], folder: McpFolder) => Promise<void> | void;

const commands = new Map<string, McpCommand>([
  ["add", (args, folder) => add(parseMcpAdd(args), folder)],
  ["add-json", addJson],
  ["list", list],
  ["get", get],
  ["remove", remove],
  ["approve", approve],
  ["reset-project-choices", (_, folder) => approve(["--reset"], folder)],
  ["login", login],
]);

async function openFolder(options: SubcommandIo) {
  const { paths, env, cwd, out } = options;
  const flags = parseFlags([]);
  const { project } = await openProject({ flags, paths, env, cwd }, null);
  const { settings } = loadSettings({ env, file: paths.settings, flags: [] });
  const state = stateFile(paths.mcp);
  const files = serverFiles({
    settings: paths.settings,
    user: settings.mcpServers,
    root: project.root,
    state,
  });
  const open = () =>
    openServers({ flags, settings, paths, project, cwd, env }, commandEnv(env, project));
  return { out, paths, project, state, files, open };
}

function add({ name, scope, config }: McpAdd, { files, state, project, out }: McpFolder): void {
  if (!isServerName(name))
    throw new UsageError(
      `${JSON.stringify(name)} cannot be a server's name: use letters, digits, “-” and “_”.`,
    );
  const file = files.add(name, scope, config);
  // Adding a server to the project approves it.
  if (scope === "project") state.approve(project.root, name, config);
  out(`Added ${name} to ${file}.\n`);
}

function addJson(args: readonly string[], folder: McpFolder): void {
  const { values, positionals } = parseOptions(args, { scope: { type: "string", short: "s" } });
  const [name, json] = positionals;
  if (name === undefined || json === undefined)
    throw new UsageError("mcp add-json needs a name and JSON.");
  const value = parseJson(json);
  if (value === undefined) throw new UsageError(`The configuration of ${name} is not valid JSON.`);
  const config = parseConfig(value);
  if (typeof config === "string") throw new UsageError(`The server ${config}.`);
  add({ name, scope: readScope(values.scope), config }, folder);
}

const listWaitMs = 15_000;

async function list(_: readonly string[], { open, out }: McpFolder): Promise<void> {
  const { hub, notices } = await open();
  for (const notice of notices) out(`${notice}\n`);
  if (!hub) return out("No MCP servers yet. Add one with mini-claude mcp add.\n");
  hub.start();
  await hub.settled(listWaitMs);
  for (const server of hub.servers)
    out(`${server.name} (${server.scope}): ${shownConfig(server)} - ${describeState(server)}\n`);
  await hub.close();
}

const describeState = ({ state, lists, problems }: Server): string =>
  toTerminal(
    state === "connected"
      ? `connected, ${counted(lists.tools.length, "tool")}`
      : state === "connecting"
        ? `no answer after ${listWaitMs / 1_000} seconds; it may still be starting`
        : [state, ...problems].join(": ").replaceAll("\n", " "),
  );

async function findServer(name: string, open: McpFolder["open"]): Promise<Server> {
  const server = (await open()).hub?.servers.find((candidate) => candidate.name === name);
  if (!server) throw new Error(`There is no MCP server ${name}. See mini-claude mcp list.`);
  return server;
}

async function get([name = ""]: readonly string[], { open, out }: McpFolder): Promise<void> {
  const server = await findServer(name, open);
  const { config, scope } = server;
  out(`${server.name}\n  scope: ${scope}\n  type: ${config.type}\n  ${shownConfig(server)}\n`);
}

function remove(args: readonly string[], { files, out }: McpFolder): void {
  const { values, positionals } = parseOptions(args, { scope: { type: "string", short: "s" } });
  const [name] = positionals;
  if (name === undefined) throw new UsageError("mcp remove needs a name.");
  const file = files.remove(name, values.scope === undefined ? null : readScope(values.scope));
  out(`Removed ${name} from ${file}.\n`);
}

async function approve(args: readonly string[], folder: McpFolder): Promise<void> {
  const { values, positionals } = parseOptions(args, { reset: { type: "boolean" } });
  const { project, state, open, out } = folder;
  if (values.reset) {
    state.forget(project.root);
    return out("The servers of this project need approval again.\n");
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
}

async function login(args: readonly string[], { open, paths, out }: McpFolder): Promise<void> {
  const { values, positionals } = parseOptions(args, { logout: { type: "boolean" } });
  const [name] = positionals;
  if (name === undefined) throw new UsageError("mcp login needs the name of an HTTP server.");
  const { config } = await findServer(name, open);
  if (config.type === "stdio" || config.type === "sdk")
    throw new Error(`${name} is a program and needs no login; HTTP servers may need one.`);
  const { logIn, loginStore } = await import("../../extensions/mcp/login.ts");
  const logins = loginStore(paths.mcpLogins);
  if (values.logout) {
    logins.forget(config.url);
    return out(`Logged out of ${name}.\n`);
  }
  await logIn(config, {
    version,
    logins,
    show: (url) => out(`Open this address to log in:\n${toTerminal(url.href)}\n`),
  });
  out(`Logged in to ${name}.\n`);
}

const mcpScopes = ["local", "project", "user"] as const;

type McpScope = (typeof mcpScopes)[number];

type McpAdd = { name: string; scope: McpScope; config: ServerConfig };

const addOptions = {
  scope: { type: "string", short: "s" },
  transport: { type: "string", short: "t" },
  env: { type: "string", short: "e", multiple: true },
  header: { type: "string", short: "H", multiple: true },
} as const;

/**
 * The arguments of `mcp add`, as Claude Code takes them: `NAME [options] -- COMMAND ARGS` or `NAME URL`. Throws
 * `UsageError`.
 */
function parseMcpAdd(args: readonly string[]): McpAdd {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  // Claude Code takes several variables after one -e.
  const words = args.flatMap((word, at) =>
    at < end && /^\w+=/.test(word) && /^\w+=/.test(args[at - 1] ?? "") ? ["-e", word] : [word],
  );
  const { tokens } = parseArgs({ args: words, options: addOptions, strict: false, tokens: true });
  const [, second] = tokens.filter(({ kind }) => kind === "positional");
  // All words after the server's command are its arguments.
  const from = second?.kind === "positional" && !isAddress(second.value) ? second.index : Infinity;
  const { values, positionals } = parseOptions(words.slice(0, from), addOptions);
  const [name, target, ...rest] = [...positionals, ...words.slice(from)];
  if (name === undefined || target === undefined)
    throw new UsageError("mcp add needs a name, and a command or an address.");
  return { name, scope: readScope(values.scope), config: configFromWords(target, rest, values) };
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** Throws `UsageError`. */
const readScope = (given = "local"): McpScope => parseChoice("The scope", mcpScopes, given);

function configFromWords(
  target: string,
  args: string[],
  {
    transport,
    env = [],
    header = [],
  }: { transport?: string | undefined; env?: string[] | undefined; header?: string[] | undefined },
): ServerConfig {
  const type = transport ?? (isAddress(target) ? "http" : "stdio");
  switch (type) {
    case "stdio":
      return { type, command: target, args, env: pairs(env, /^(\w+)=(.*)$/s, "-e NAME=VALUE") };
    case "http":
      if (!URL.canParse(target)) throw new UsageError(`${target} is not an address.`);
      return {
        type,
        url: target,
        headers: pairs(header, /^([\w-]+):\s*(.*)$/s, '-H "NAME: VALUE"'),
      };
    default:
      throw new UsageError(`The transport must be stdio or http, not ${type}.`);
  }
}

const pairs = (texts: readonly string[], form: RegExp, shown: string): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = form.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`${JSON.stringify(text)} is not of the form ${shown}.`);
      return [name, value];
    }),
  );
