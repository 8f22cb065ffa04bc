/** Adds servers to the files that hold them, and removes them. */

import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { saveSetting } from "../../config/save-setting.ts";
import { parseJsonc } from "../../base/guards.ts";
import type { ServerConfig } from "./config.ts";
import { serversFile, type StateFile } from "./sources.ts";

type WritableScope = "local" | "project" | "user";

type ServerFilesOptions = {
  /** The user's settings file, and the servers in it. */
  settings: string;
  user: Record<string, unknown>;
  /** The project's root. */
  root: string;
  state: StateFile;
};

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

export function serverFiles({ settings, user, root, state }: ServerFilesOptions) {
  const file = join(root, serversFile);

  /** Throws with a sentence when the file is not one of servers. */
  function project(): z.infer<typeof fileSchema> {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found) return { mcpServers: {} };
    // It may lead anywhere, and its author may be a stranger.
    if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
    try {
      return fileSchema.parse(parseJsonc(readFileSync(file, "utf8")));
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
