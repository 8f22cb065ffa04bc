/** The arguments of `mini-claude mcp add`, as Claude Code takes them. */

import { oneOf, UsageError } from "../../config/usage-error.ts";
import type { ServerConfig } from "../../extensions/mcp/config.ts";

const mcpScopes = ["local", "project", "user"] as const;

type McpScope = (typeof mcpScopes)[number];

export type McpAdd = { name: string; scope: McpScope; config: ServerConfig };

const options: Record<string, "scope" | "transport" | "env" | "header"> = {
  "-s": "scope",
  "--scope": "scope",
  "-t": "transport",
  "--transport": "transport",
  "-e": "env",
  "--env": "env",
  "-H": "header",
  "--header": "header",
};

/** `NAME [options] -- COMMAND ARGS` or `NAME URL`. Throws `UsageError`. */
export function parseMcpAdd(args: readonly string[]): McpAdd {
  const given: Record<string, string[]> = { scope: [], transport: [], env: [], header: [] };
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      words.push(...args.slice(at + 1));
      break;
    }
    const [flag = "", ...inline] = arg.startsWith("--") ? arg.split("=") : [arg];
    const option = options[flag];
    // What follows a command is the command's own.
    const isOwn = words[1] !== undefined && !isAddress(words[1]);
    if (isOwn || !arg.startsWith("-")) words.push(arg);
    else if (!option)
      throw new UsageError(`Unknown flag ${arg} of mcp add. Put the server's command after --.`);
    else {
      const value = inline.length > 0 ? inline.join("=") : args[++at];
      if (value === undefined) throw new UsageError(`${flag} needs a value.`);
      given[option]?.push(value);
      // Claude Code takes several variables after one -e.
      while (option === "env" && /^\w+=/.test(args[at + 1] ?? ""))
        given[option]?.push(args[++at] ?? "");
    }
  }
  const [name, target, ...rest] = words;
  if (name === undefined || target === undefined)
    throw new UsageError("mcp add needs a name, and a command or an address.");
  return { name, scope: scopeOf(given["scope"]?.at(-1)), config: configOf(target, rest, given) };
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** Throws `UsageError`. */
export const scopeOf = (given = "local"): McpScope => oneOf("The scope", mcpScopes, given);

function configOf(
  target: string,
  args: string[],
  { transport = [], env = [], header = [] }: Record<string, string[]>,
): ServerConfig {
  const type = transport.at(-1) ?? (isAddress(target) ? "http" : "stdio");
  switch (type) {
    case "stdio":
      return { type, command: target, args, env: pairs(env, /^(\w+)=(.*)$/s, "-e NAME=VALUE") };
    case "http":
    case "sse":
      if (!URL.canParse(target)) throw new UsageError(`${target} is not an address.`);
      return {
        type,
        url: target,
        headers: pairs(header, /^([\w-]+):\s*(.*)$/s, '-H "NAME: VALUE"'),
      };
    default:
      throw new UsageError(`The transport must be stdio, http or sse, not ${type}.`);
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
