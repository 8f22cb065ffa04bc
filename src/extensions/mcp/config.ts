/** Servers as users write them, `{ "mcpServers": { NAME: {…} } }`: read, shown, approved and saved. */

import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Environment } from "../../base/environment.ts";
import { toTerminal } from "../../base/escape-terminal.ts";
import { attempt, isRecord, parseJsonc } from "../../base/guards.ts";
import { editJson } from "../../base/jsonc.ts";
import { once } from "../../base/once.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import { saveSetting } from "../../config/settings.ts";
import { readJson, saveJson } from "../../config/json-file.ts";
import { hashOf } from "../../trust/project/project.ts";

/** Keep the order of its fields: it is part of the hash by which the user approved a configuration. */
const serverSchema = once(() => {
  const texts = z.record(z.string(), z.string());

  const stdio = z.object({
    type: z.literal("stdio").default("stdio"),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: texts.default({}),
  });

  const remote = z.object({
    type: z
      .enum(["http", "streamable-http"])
      .default("http")
      .transform(() => "http" as const),
    url: z.string().min(1),
    headers: texts.default({}),
  });

  // A server inside the program that started us; its transport is handed in.
  const sdk = z.object({ type: z.literal("sdk") });

  return z.union([sdk, stdio, remote]);
});

export type ServerConfig = z.infer<ReturnType<typeof serverSchema>>;

export type RemoteConfig = Extract<ServerConfig, { url: string }>;

/**
 * Two underscores separate server and tool in a tool name, so a server name with two of them could
 * impersonate another server.
 */
export const isServerName = (name: string): boolean =>
  /^[A-Za-z0-9](?:[\w-]{0,62}[A-Za-z0-9-])?$/.test(name) && !name.includes("__");

const badName = "needs a name of at most 64 letters, digits, “-” and “_”, without two “_” in a row";

/** A sentence's end when it is not valid. */
export const parseConfig = (value: unknown): ServerConfig | string =>
  serverSchema().safeParse(value).data ??
  "needs a “command” with “args”, or a “url” with “type”: “http”";

/** Parses the servers of a file's JSON, with a sentence for each rejected one. `source`: the file, for display. */
export function parseServers(json: unknown, source: string) {
  const servers = new Map<string, ServerConfig>();
  const problems: string[] = [];
  const map = under(json, "mcpServers");
  if (!isRecord(map)) problems.push(`${source} has no “mcpServers”; it is ignored.`);
  for (const [name, value] of Object.entries(map ?? {})) {
    const config = isServerName(name) ? parseConfig(value) : badName;
    if (typeof config === "string")
      problems.push(`${source}: the MCP server ${JSON.stringify(name)} ${config}; it is ignored.`);
    else servers.set(name, config);
  }
  return { servers, problems };
}

export const under = (json: unknown, name: string): unknown =>
  isRecord(json) ? json[name] : undefined;

/**
 * For the user: a command or an address, and what is set for it. The values of the user's own servers may
 * be keys, so they are hidden; those of a project come from its file, and may do anything.
 */
export function shownConfig({ config, scope }: { config: ServerConfig; scope: string }): string {
  const set = (texts: Record<string, string>): string[] =>
    Object.entries(texts).map(([name, text]) => `${name}=${scope === "project" ? text : "***"}`);
  const words = (all: string[]): string => toTerminal(all.map(shownWord).join(" "));
  if (config.type === "sdk") return "served by another program";
  return config.type === "stdio"
    ? words([...set(config.env), config.command, ...config.args])
    : words([config.url, ...set(config.headers)]);
}

/** A word for display, quoted if it could be read as several words or another one. */
const shownWord = (word: string): string => (/^[!-~]+$/.test(word) ? word : JSON.stringify(word));

/** `${VAR}` and `${VAR:-default}` in a configuration. */
const variable = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Throws with a sentence that names the variable when it is not set and has no default. */
export function expandConfig(config: ServerConfig, env: Environment): ServerConfig {
  const expand = (text: string): string =>
    text.replace(variable, (_, name: string, otherwise?: string) => {
      const value = env[name] || otherwise;
      if (value === undefined) throw new Error(`The variable ${name} is not set.`);
      return value;
    });
  const expanded = parseConfig(
    JSON.parse(JSON.stringify(config), (_, value: unknown) =>
      typeof value === "string" ? expand(value) : value,
    ),
  );
  if (typeof expanded === "string") throw new Error(`It ${expanded}.`);
  return expanded;
}

/** The file in which a project names its servers. */
export const serversFile = ".mcp.json";

type ProjectFolders = { root: string; folder: string };

/** The project's own files; the opened folder's outranks the root's. */
export async function readProjectFiles({ root, folder }: ProjectFolders) {
  const files = [...new Set([folder, root])].map((dir) => join(dir, serversFile));
  const texts = await Promise.all(files.map((file) => textOfRegular(file, 256 * 1024)));
  return files.flatMap((file, at) => {
    const text = texts[at] ?? null;
    return text === null ? [] : [parseServers(parseJsonc(text), file)];
  });
}

/** The servers in the project's own files. */
export async function projectServers(project: ProjectFolders): Promise<Map<string, ServerConfig>> {
  const found = await readProjectFiles(project);
  return new Map(found.toReversed().flatMap(({ servers }) => [...servers]));
}

const stateSchema = once(() => {
  const projectState = z.object({
    /** Servers that only the user has in this project. */
    mcpServers: z.record(z.string(), z.unknown()).default({}),
    /** Hashes of approved configurations by name: a changed one is asked about again. */
    approved: z.record(z.string(), z.string()).default({}),
  });
  return z.object({ projects: z.record(z.string(), projectState).default({}) });
});

type ProjectState = z.infer<ReturnType<typeof stateSchema>>["projects"][string];

type StateFile = ReturnType<typeof stateFile>;

/**
 * `mcp.json` in our own folder: by project, its local servers and which of its own are approved. `root`,
 * everywhere: the project's.
 */
export function stateFile(file: string) {
  /** Throws with a sentence when the file is damaged. */
  const read = () =>
    readJson(file, stateSchema(), `${file} is damaged. Correct it or remove it.`)?.projects ?? {};
  const at = (root: string): ProjectState => read()[root] ?? { mcpServers: {}, approved: {} };
  const save = (root: string, more: Partial<ProjectState>): void =>
    saveJson(file, { projects: { ...read(), [root]: { ...at(root), ...more } } });

  return {
    at,
    save,

    /** False when the file is damaged. */
    isApproved: (root: string, name: string, config: ServerConfig): boolean =>
      attempt(() => at(root).approved[name] === hashOf(config), false),

    approve: (root: string, name: string, config: ServerConfig): void =>
      save(root, { approved: { ...at(root).approved, [name]: hashOf(config) } }),

    /** The project's own servers need approval again. */
    forget(root: string): void {
      if (Object.keys(at(root).approved).length > 0) save(root, { approved: {} });
    },
  };
}

type WritableScope = "local" | "project" | "user";

type ServerFilesOptions = {
  /** The user's settings file, and the servers in it. */
  settings: string;
  user: Record<string, unknown>;
  /** The project's root. */
  root: string;
  state: StateFile;
};

export function serverFiles({ settings, user, root, state }: ServerFilesOptions) {
  const file = join(root, serversFile);

  /** Throws with a sentence when the file is not one of servers. */
  function project() {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found) return { text: "{}", servers: {} };
    // A link may lead anywhere, and its author may be a stranger.
    if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
    const text = readFileSync(file, "utf8");
    const json = parseJsonc(text);
    const servers = under(json, "mcpServers") ?? {};
    if (isRecord(json) && isRecord(servers)) return { text, servers };
    throw new Error(`${file} is not a JSON object with “mcpServers”. Correct it first.`);
  }

  function read(scope: WritableScope): Record<string, unknown> {
    if (scope === "user") return user;
    return scope === "local" ? state.at(root).mcpServers : project().servers;
  }

  /** Undefined removes the server. */
  function write(scope: WritableScope, name: string, config?: ServerConfig): string {
    const { [name]: _, ...others } = read(scope);
    const servers = { ...others, ...(config && { [name]: config }) };
    switch (scope) {
      case "user":
        saveSetting(settings, "mcpServers", servers);
        return settings;
      case "local":
        state.save(root, { mcpServers: servers });
        return "your own servers of this project";
      case "project": {
        const place = { path: ["mcpServers", name], value: config };
        writeFileSync(file, `${editJson(project().text, place).trimEnd()}\n`);
        return file;
      }
    }
  }

  return {
    /** Returns the file's name. Throws with a sentence when it is there already. */
    add(name: string, scope: WritableScope, config: ServerConfig): string {
      const servers = read(scope);
      if (Object.hasOwn(servers, name))
        throw new Error(`${name} already exists in the scope ${scope}; remove it first.`);
      return write(scope, name, config);
    },

    /** Null: from the only scope that has it. Returns the file's name. Throws with a sentence. */
    remove(name: string, scope: WritableScope | null): string {
      const scopes = scope === null ? (["local", "project", "user"] as const) : [scope];
      const having = scopes.filter((place) => Object.hasOwn(read(place), name));
      const [only] = having;
      if (only === undefined) throw new Error(`There is no MCP server ${name}.`);
      if (having.length > 1)
        throw new Error(`${name} is in several scopes (${having.join(", ")}); choose one with -s.`);
      return write(only, name);
    },
  };
}
