/** `mcp.json` in our own folder: by project, its local servers and which of its own are approved. */

import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { readJson, saveJson } from "../../config/json-file.ts";
import type { ServerConfig } from "./config.ts";

const project = z.object({
  /** Servers that only the user has in this project. */
  mcpServers: z.record(z.string(), z.unknown()).default({}),
  /** Hashes of approved configurations by name: a changed one is asked about again. */
  approved: z.record(z.string(), z.string()).default({}),
});

const schema = z.object({ projects: z.record(z.string(), project).default({}) });

type Project = z.infer<typeof project>;

export type StateFile = ReturnType<typeof stateFile>;

/** `root`, everywhere: the project's. */
export function stateFile(file: string) {
  /** Throws with a sentence when the file is damaged. */
  const read = (): z.infer<typeof schema> =>
    readJson(file, schema, `${file} is damaged. Correct it or remove it.`) ?? { projects: {} };
  const projectAt = (root: string): Project =>
    read().projects[root] ?? { mcpServers: {}, approved: {} };
  const save = (root: string, more: Partial<Project>): void =>
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

const hashOf = (config: ServerConfig): string =>
  Bun.CryptoHasher.hash("sha256", JSON.stringify(config), "hex");
