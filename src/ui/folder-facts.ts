/** Facts about the opened folder, each loaded independently after the first frame. */

import { counted } from "../base/format.ts";
import { sanitizeLine } from "./sanitize.ts";
import type { GitState, LatestSession, Services, UserCommand } from "./types.ts";

export class FolderFacts {
  git: GitState | null = null;
  instructions: readonly string[] = [];
  latest: LatestSession | null = null;
  /** Commands and skills of the user and the project, as last read. */
  commands: readonly UserCommand[] = [];
  readonly #services: Services;
  readonly #changed: () => void;
  #hasBegun = false;

  constructor(services: Services, changed: () => void) {
    this.#services = services;
    this.#changed = changed;
  }

  /** Refreshes the git status. */
  refreshGit(): void {
    if (this.#hasBegun) this.#take(this.#services.gitState(), (git) => (this.git = git));
    else this.load();
  }

  /** Reads them once. */
  load(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { gitState, instructions, latestSession } = this.#services;
    this.#take(gitState(), (git) => (this.git = git));
    this.#take(instructions(), (files) => (this.instructions = files));
    this.#take(latestSession(), (latest) => (this.latest = latest));
    void this.readCommands();
  }

  async readCommands(): Promise<void> {
    this.commands = await this.#services.commands().catch(() => []);
    this.#changed();
  }

  /** Prompts of MCP servers are counted with their servers. */
  get ownCommands(): number {
    const own = this.commands.filter((each) => !each.isBuiltIn && !each.name.startsWith("mcp__"));
    return own.length;
  }

  /** Facts that cannot be read are omitted. */
  #take<T>(reading: Promise<T>, keep: (fact: T) => void): void {
    void reading.then(keep).then(this.#changed, () => undefined);
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
