/** Facts about the opened folder, read after the first frame, each by itself. */

import { counted } from "../base/in-words.ts";
import { sanitizeLine } from "./sanitize.ts";
import type { GitState, LatestSession, Services } from "./types.ts";

export class FolderFacts {
  git: GitState | null = null;
  instructions: readonly string[] = [];
  latest: LatestSession | null = null;
  commands = 0;
  readonly #services: Services;
  readonly #changed: () => void;
  #isLoading = false;

  constructor(services: Services, changed: () => void) {
    this.#services = services;
    this.#changed = changed;
  }

  /** Asks git again: files may have changed. */
  refreshGit(): void {
    if (!this.#isLoading) return this.load();
    void this.#services
      .gitState()
      .then((git) => (this.git = git))
      .then(this.#changed)
      .catch(() => undefined);
  }

  /** Reads them once. A fact that cannot be read is left out. */
  load(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const { gitState, instructions, latestSession, commands } = this.#services;
    const take = <T>(loading: Promise<T>, keep: (fact: T) => void): void =>
      void loading
        .then(keep)
        .then(this.#changed)
        .catch(() => undefined);
    take(gitState(), (git) => (this.git = git));
    take(instructions(), (files) => (this.instructions = files));
    take(latestSession(), (latest) => (this.latest = latest));
    // Prompts of MCP servers are counted with their servers.
    take(commands(), (all) => {
      this.commands = all.filter(({ name }) => !name.startsWith("mcp__")).length;
    });
  }
}

/** "main, 3 files changed" */
export function showGit({ branch, changedFiles }: GitState): string {
  const name = sanitizeLine(branch);
  if (changedFiles === null) return name;
  return changedFiles === 0
    ? `${name}, no changes`
    : `${name}, ${counted(changedFiles, "file")} changed`;
}
