/** Which servers a session has, from flags, the project and the user's files; and which are approved. */

import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { attempt, parseJsonc } from "../../base/guards.ts";
import { errorMessage } from "../../base/format.ts";
import { readJson, saveJson } from "../../config/json-file.ts";
import { UsageError } from "../../config/usage-error.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import { once } from "../../base/once.ts";
import { hashOf } from "../../trust/project/approvals.ts";
import { type ParsedServers, type ServerConfig, parseServerMap, parseServers } from "./config.ts";
import type { Scope, ServerSetup } from "./server.ts";
import { saveSetting } from "../../config/edit-settings.ts";

/** The file in which a project names its servers. */
export const serversFile = ".mcp.json";

/** Claude Code keeps much else in that file. */
const maxForeignBytes = 16 * 1024 * 1024;

const foreignSchema = once(() => {
  const servers = z.record(z.string(), z.unknown()).catch({});
  return z.looseObject({
    mcpServers: servers,
    projects: z.record(z.string(), z.looseObject({ mcpServers: servers })).catch({}),
  });
});

type ServerSources = {
  /** `mcpServers` of the user's settings. */
  user: Record<string, unknown>;
  /** The user's `~/.claude.json`; null: it is not read. */
  claudeCode: string | null;
  /** Null: the project is not trusted, and its own file is not read. */
  project: { root: string; folder: string } | null;
  /** The project's root, for what the user has only there. */
  root: string;
  state: StateFile;
  /** Values of `--mcp-config`: files or JSON. */
  flags: readonly string[];
  /** Use only the servers in `flags`. */
  strict: boolean;
  cwd: string;
  /** Whether a server of the project is approved for this run; absent: none is. */
  approves?: (name: string) => boolean;
};

/** Throws `UsageError` for a flag that cannot be read. */
export async function collectServers(
  sources: ServerSources,
): Promise<{ servers: ServerSetup[]; problems: string[] }> {
  const { user, claudeCode, project, root, state, flags, strict, cwd, approves } = sources;
  const found: [Scope, ParsedServers][] = flags.map((flag) => ["flag", fromFlag(flag, cwd)]);
  if (!strict) {
    found.push(["local", fromState(state, root)]);
    if (project) found.push(...(await fromProject(project)));
    found.push(["user", parseServerMap(user, "The settings")]);
    if (claudeCode !== null) found.push(...(await fromClaudeCode(claudeCode, root)));
  }
  const setups = new Map<string, ServerSetup>();
  for (const [scope, { servers }] of found)
    for (const [name, config] of servers) {
      const isApproved =
        scope !== "project" || (approves?.(name) ?? false) || state.isApproved(root, name, config);
      if (!setups.has(name)) setups.set(name, { name, scope, config, isApproved });
    }
  return {
    servers: [...setups.values()],
    problems: found.flatMap(([, { problems }]) => problems),
  };
}

function fromFlag(flag: string, cwd: string): ParsedServers {
  const isJson = flag.trimStart().startsWith("{");
  const text = isJson ? flag : attempt(() => readFileSync(resolve(cwd, flag), "utf8"), null);
  if (text === null) throw new UsageError(`--mcp-config: ${flag} cannot be read.`);
  const parsed = parseServers(parseJsonc(text), isJson ? "--mcp-config" : flag);
  const [problem] = parsed.problems;
  if (problem !== undefined) throw new UsageError(`--mcp-config: ${problem}`);
  return parsed;
}

/** A damaged file is reported and does not stop the start. */
function fromState(state: StateFile, root: string): ParsedServers {
  try {
    return parseServerMap(state.localServers(root), "The local servers");
  } catch (error) {
    return { servers: new Map(), problems: [errorMessage(error)] };
  }
}

/** The user's servers in Claude Code, of all projects and of this one. */
async function fromClaudeCode(file: string, root: string): Promise<[Scope, ParsedServers][]> {
  const text = await textOfRegular(file, maxForeignBytes);
  const parsed = text === null ? null : foreignSchema().safeParse(parseJsonc(text));
  if (!parsed?.success) return [];
  const { mcpServers, projects } = parsed.data;
  return [
    ["local", parseServerMap(projects[root]?.mcpServers ?? {}, file)],
    ["user", parseServerMap(mcpServers, file)],
  ];
}

/** The servers in the project's own files. */
export async function projectServers(project: {
  root: string;
  folder: string;
}): Promise<Map<string, ServerConfig>> {
  const found = await fromProject(project);
  return new Map(found.toReversed().flatMap(([, { servers }]) => [...servers]));
}

/** The opened folder's file outranks the root's. */
async function fromProject(project: {
  root: string;
  folder: string;
}): Promise<[Scope, ParsedServers][]> {
  const files = [...new Set([project.folder, project.root])].map((dir) => join(dir, serversFile));
  const texts = await Promise.all(files.map((file) => textOfRegular(file, 256 * 1024)));
  return texts.flatMap((text, index): [Scope, ParsedServers][] =>
    text === null ? [] : [["project", parseServers(parseJsonc(text), files[index] ?? serversFile)]],
  );
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
  const read = (): z.infer<ReturnType<typeof stateSchema>> =>
    readJson(file, stateSchema(), `${file} is damaged. Correct it or remove it.`) ?? {
      projects: {},
    };
  const projectAt = (root: string): ProjectState =>
    read().projects[root] ?? { mcpServers: {}, approved: {} };
  const save = (root: string, more: Partial<ProjectState>): void =>
    saveJson(file, { projects: { ...read().projects, [root]: { ...projectAt(root), ...more } } });

  return {
    /** Local servers as they were written. */
    localServers: (root: string): Record<string, unknown> => projectAt(root).mcpServers,

    saveLocal: (root: string, mcpServers: Record<string, unknown>): void =>
      save(root, { mcpServers }),

    /** False when the file is damaged. */
    isApproved: (root: string, name: string, config: ServerConfig): boolean =>
      attempt(() => projectAt(root).approved[name] === hashOf(config), false),

    approve: (root: string, name: string, config: ServerConfig): void =>
      save(root, { approved: { ...projectAt(root).approved, [name]: hashOf(config) } }),

    /** Asks about all servers of the project again. */
    forgetApprovals: (root: string): void => save(root, { approved: {} }),
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

const fileSchema = once(() =>
  z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) }),
);

export function serverFiles({ settings, user, root, state }: ServerFilesOptions) {
  const file = join(root, serversFile);

  /** Throws with a sentence when the file is not one of servers. */
  function project(): z.infer<ReturnType<typeof fileSchema>> {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found) return { mcpServers: {} };
    // It may lead anywhere, and its author may be a stranger.
    if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
    try {
      return fileSchema().parse(parseJsonc(readFileSync(file, "utf8")));
    } catch {
      throw new Error(`${file} is not a JSON object with “mcpServers”. Correct it first.`);
    }
  }

  function read(scope: WritableScope): Record<string, unknown> {
    if (scope === "user") return user;
    return scope === "local" ? state.localServers(root) : project().mcpServers;
  }

  function write(scope: WritableScope, servers: Record<string, unknown>): string {
    switch (scope) {
      case "user":
        saveSetting(settings, "mcpServers", servers);
        return settings;
      case "local":
        state.saveLocal(root, servers);
        return "your own servers of this project";
      case "project": {
        const whole = { ...project(), mcpServers: servers };
        writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`);
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
      return write(scope, { ...servers, [name]: config });
    },

    /** Null: from the only scope that has it. Returns the file's name. Throws with a sentence. */
    remove(name: string, scope: WritableScope | null): string {
      const scopes = scope === null ? (["local", "project", "user"] as const) : [scope];
      const having = scopes.filter((place) => Object.hasOwn(read(place), name));
      const [only] = having;
      if (only === undefined) throw new Error(`There is no MCP server ${name}.`);
      if (having.length > 1)
        throw new Error(`${name} is in several scopes (${having.join(", ")}); choose one with -s.`);
      const { [name]: _, ...others } = read(only);
      return write(only, others);
    },
  };
}
