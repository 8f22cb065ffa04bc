/** `mcp.json` in our own folder: by project, its local servers and which of its own are approved. */

import { z } from "zod";
import { attempt } from "../protocol/attempt.ts";
import { readJson, saveJson } from "../config/json-file.ts";
import type { ServerConfig } from "./config.ts";

const project = z.object({
  /** Servers that only the user has in this project. */
  mcpServers: z.record(z.string(), z.unknown()).default({}),
  /** Hashes of approved configurations by name: a changed one is asked about again. */
  approved: z.record(z.string(), z.string()).default({}),
});

const schema = z.object({ projects: z.record(z.string(), project).default({}) });

type Project = z.infer<typeof project>;

export class StateFile {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Local servers as they were written. `root`: the project's. */
  localServers(root: string): Record<string, unknown> {
    return this.#project(root).mcpServers;
  }

  saveLocal(root: string, servers: Record<string, unknown>): void {
    this.#save(root, { ...this.#project(root), mcpServers: servers });
  }

  /** False when the file is damaged. */
  isApproved(root: string, name: string, config: ServerConfig): boolean {
    return attempt(() => this.#project(root).approved[name] === hashOf(config), false);
  }

  approve(root: string, name: string, config: ServerConfig): void {
    const { approved, ...rest } = this.#project(root);
    this.#save(root, { ...rest, approved: { ...approved, [name]: hashOf(config) } });
  }

  /** Asks about all servers of the project again. */
  forgetApprovals(root: string): void {
    this.#save(root, { ...this.#project(root), approved: {} });
  }

  #project(root: string): Project {
    return this.#read().projects[root] ?? { mcpServers: {}, approved: {} };
  }

  #save(root: string, one: Project): void {
    const { projects } = this.#read();
    saveJson(this.#file, { projects: { ...projects, [root]: one } });
  }

  /** Throws with a sentence when the file is damaged. */
  #read(): z.infer<typeof schema> {
    const damaged = `${this.#file} is damaged. Correct it or remove it.`;
    return readJson(this.#file, schema, damaged) ?? { projects: {} };
  }
}

const hashOf = (config: ServerConfig): string =>
  Bun.CryptoHasher.hash("sha256", JSON.stringify(config), "hex");
