import type { Services, UserCommand } from "./types.ts";

/** Commands and skills of the user and the project. */
export class UserCommands {
  /** As last read. */
  list: readonly UserCommand[] = [];
  readonly #services: Pick<Services, "commands">;
  readonly #changed: () => void;

  constructor(services: Pick<Services, "commands">, changed: () => void) {
    this.#services = services;
    this.#changed = changed;
  }

  async load(): Promise<void> {
    this.list = await this.#services.commands().catch(() => []);
    this.#changed();
  }
}
