/** `${VAR}` and `${VAR:-default}` in a server's configuration. */

import type { Environment } from "../protocol/environment.ts";
import type { ServerConfig } from "./config.ts";

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
  switch (config.type) {
    case "stdio": {
      const { type, command, args, env: own } = config;
      return { type, command: expand(command), args: args.map(expand), env: all(own) };
    }
    case "http":
    case "sse":
      return { type: config.type, url: expand(config.url), headers: all(config.headers) };
    case "sdk":
      return config;
  }
}
