/** The configuration of servers as users write it: `{ "mcpServers": { NAME: {…} } }`. */

import { z } from "zod";
import { toTerminal } from "../../base/escape-terminal.ts";
import type { Environment } from "../../base/environment.ts";
import { once } from "../../base/once.ts";

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

export type ParsedServers = {
  servers: Map<string, ServerConfig>;
  /** One sentence for each server that is left out. */
  problems: string[];
};

const maxServers = 100;

/**
 * Two underscores separate server and tool in the name of a tool, so a name that held them could
 * pass for another server's.
 */
export const isServerName = (name: string): boolean =>
  /^[A-Za-z0-9](?:[\w-]{0,62}[A-Za-z0-9-])?$/.test(name) && !name.includes("__");

/** `source`: where it is from, for problems. */
export function parseServers(json: unknown, source: string): ParsedServers {
  const file = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()) }).safeParse(json);
  if (!file.success) {
    return { servers: new Map(), problems: [`${source} has no “mcpServers”; it is ignored.`] };
  }
  return parseServerMap(file.data.mcpServers, source);
}

/** The same for what is inside `mcpServers`. */
export function parseServerMap(map: Record<string, unknown>, source: string): ParsedServers {
  const servers = new Map<string, ServerConfig>();
  const problems: string[] = [];
  const count = Object.keys(map).length;
  if (count > maxServers)
    problems.push(
      `${source} names ${count} MCP servers; those after the first ${maxServers} are not used.`,
    );
  for (const [name, value] of Object.entries(map).slice(0, maxServers)) {
    const config = isServerName(name) ? parseConfig(value) : badName;
    if (typeof config === "string")
      problems.push(`${source}: the MCP server ${JSON.stringify(name)} ${config}; it is ignored.`);
    else servers.set(name, config);
  }
  return { servers, problems };
}

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

/** In quotes if it could pass for several words, or for other ones. */
const shownWord = (word: string): string => (/^[!-~]+$/.test(word) ? word : JSON.stringify(word));

const badName = "needs a name of at most 64 letters, digits, “-” and “_”, without two “_” in a row";

/** A sentence's end when it is not valid. */
export const parseConfig = (value: unknown): ServerConfig | string =>
  serverSchema().safeParse(value).data ??
  "needs a “command” with “args”, or a “url” with “type”: “http”";

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
  const all = (texts: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text)]));
  if (config.type === "sdk") return config;
  if (config.type !== "stdio")
    return { ...config, url: expand(config.url), headers: all(config.headers) };
  const { command, args, env: own } = config;
  return { ...config, command: expand(command), args: args.map(expand), env: all(own) };
}
