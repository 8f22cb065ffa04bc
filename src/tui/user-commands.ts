/** Commands and skills that the user and the project define, for the slash menu. */

import { sanitizeLine } from "./sanitize.ts";
import type { Services, UserCommand } from "./types.ts";

const pattern = /^\/([\w-]+(?::[\w-]+)*)(?:\s|$)/;

export class UserCommands {
  readonly #services: Pick<Services, "commands">;
  readonly #builtIn: readonly { name: string; help: string }[];
  #known: readonly UserCommand[] = [];

  constructor(
    services: Pick<Services, "commands">,
    builtIn: readonly { name: string; help: string }[],
  ) {
    this.#services = services;
    this.#builtIn = builtIn;
  }

  /** Help by name, of the built-in commands and of those last read. */
  get help(): ReadonlyMap<string, string> {
    return new Map([
      ...this.#builtIn.map(({ name, help }): [string, string] => [name, help]),
      ...this.#known.map((one): [string, string] => [one.name, helpOf(one)]),
    ]);
  }

  /** Reads them from the disk. */
  async load(): Promise<void> {
    this.#known = await this.#services.commands().catch(() => []);
  }

  /** Whether a text that no built-in command takes can be sent: false for an unknown command alone. */
  async canSend(text: string): Promise<boolean> {
    const name = pattern.exec(text)?.[1];
    if (name === undefined || text.includes(" ")) return true;
    await this.load();
    // `/server:prompt` is another name of a prompt of an MCP server.
    const names = [name, `mcp__${name.replace(":", "__")}`];
    return this.#known.some((one) => names.includes(one.name));
  }
}

const helpOf = ({ description, argumentHint }: UserCommand): string =>
  sanitizeLine([argumentHint, description].filter((part) => part !== "").join(" · "));
