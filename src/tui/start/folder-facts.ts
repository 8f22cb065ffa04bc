/** What the screen knows about the opened folder. Read after the first frame, each fact by itself. */

import type { GitState, LatestSession, Services } from "../types.ts";

export class FolderFacts {
  git: GitState | null = null;
  /** Instruction files that apply here. */
  instructions: readonly string[] = [];
  latest: LatestSession | null = null;
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
    const { gitState, instructions, latestSession } = this.#services;
    void this.#take(gitState?.(), (git) => (this.git = git));
    void this.#take(instructions?.(), (files) => (this.instructions = files));
    void this.#take(latestSession?.(), (latest) => (this.latest = latest));
  }

  async #take<T>(loading: Promise<T> | undefined, keep: (fact: T) => void): Promise<void> {
    if (!loading) return;
    try {
      keep(await loading);
      this.#changed();
    } catch {
      // The screen does without it.
    }
  }
}
