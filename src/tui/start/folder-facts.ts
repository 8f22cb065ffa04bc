/** What the screen knows about the opened folder. Read after the first frame, each fact by itself. */

import type { GitState, LatestSession, Services } from "../types.ts";

export class FolderFacts {
  git: GitState | null = null;
  /** Instruction files that apply here. */
  instructions: readonly string[] = [];
  latest: LatestSession | null = null;
  /** Commands and skills that are defined in files. */
  commands = 0;
  readonly #services: Services;
  readonly #changed: () => void;
  #isLoading = false;

  constructor(services: Services, changed: () => void) {
    this.#services = services;
    this.#changed = changed;
  }

  /** Reads them once. A fact that cannot be read is left out. */
  load(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const { gitState, instructions, latestSession, commands } = this.#services;
    void this.#take(gitState(), (git) => (this.git = git));
    void this.#take(instructions(), (files) => (this.instructions = files));
    void this.#take(latestSession(), (latest) => (this.latest = latest));
    // Prompts of MCP servers are counted with their servers.
    void this.#take(commands(), (all) => {
      this.commands = all.filter(({ name }) => !name.startsWith("mcp__")).length;
    });
  }

  async #take<T>(loading: Promise<T>, keep: (fact: T) => void): Promise<void> {
    try {
      keep(await loading);
      this.#changed();
    } catch {
      // The screen does without it.
    }
  }
}
