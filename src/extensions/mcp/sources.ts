/** Which servers a session has: from flags, the project, and the user's files. Reads only. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { attempt, parseJsonc } from "../../base/guards.ts";
import { messageOf } from "../../base/in-words.ts";
import { UsageError } from "../../config/usage-error.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import { parseServerMap, parseServers, type ParsedServers } from "./config.ts";
import type { Scope, ServerSetup } from "./server.ts";
import type { StateFile } from "./state-file.ts";

/** The file in which a project names its servers. */
export const projectFile = ".mcp.json";

/** Claude Code keeps much else in that file. */
const maxForeignBytes = 16 * 1024 * 1024;

const servers = z.record(z.string(), z.unknown()).catch({});
const foreignSchema = z.looseObject({
  mcpServers: servers,
  projects: z.record(z.string(), z.looseObject({ mcpServers: servers })).catch({}),
});

export type ServerSources = {
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
};

/** Throws `UsageError` for a flag that cannot be read. */
export async function collectServers(
  sources: ServerSources,
): Promise<{ servers: ServerSetup[]; problems: string[] }> {
  const { user, claudeCode, project, root, state, flags, strict, cwd } = sources;
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
      const isApproved = scope !== "project" || state.isApproved(root, name, config);
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
    return { servers: new Map(), problems: [messageOf(error)] };
  }
}

/** What Claude Code keeps for the user: servers of all projects, and of this one. */
async function fromClaudeCode(file: string, root: string): Promise<[Scope, ParsedServers][]> {
  const text = await textOfRegular(file, maxForeignBytes);
  const parsed = foreignSchema.safeParse(text === null ? null : parseJsonc(text));
  if (!parsed.success) return [];
  const { mcpServers, projects } = parsed.data;
  return [
    ["local", parseServerMap(projects[root]?.mcpServers ?? {}, file)],
    ["user", parseServerMap(mcpServers, file)],
  ];
}

/** The opened folder's file outranks that of the root. */
async function fromProject(project: {
  root: string;
  folder: string;
}): Promise<[Scope, ParsedServers][]> {
  const files = [...new Set([project.folder, project.root])].map((dir) => join(dir, projectFile));
  const texts = await Promise.all(files.map((file) => textOfRegular(file, 256 * 1024)));
  return texts.flatMap((text, index): [Scope, ParsedServers][] =>
    text === null ? [] : [["project", parseServers(parseJsonc(text), files[index] ?? projectFile)]],
  );
}
