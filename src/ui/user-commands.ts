/** Commands and skills that the user and the project define, for the slash menu. */

import { sanitizeLine } from "./sanitize.ts";
import type { Services, UserCommand } from "./types.ts";

const pattern = /^\/([\w-]+(?::[\w-]+)*)(?:\s|$)/;

export type UserCommands = ReturnType<typeof userCommands>;

export function userCommands(
  services: Pick<Services, "commands">,
  builtIn: readonly { name: string; help: string }[],
) {
  let known: readonly UserCommand[] = [];
  /** Reads them from the disk. */
  const load = async (): Promise<void> => {
    known = await services.commands().catch(() => []);
  };
  return {
    load,
    /** Help by name, of the built-in commands and of those last read. */
    get help(): ReadonlyMap<string, string> {
      return new Map([
        ...builtIn.map(({ name, help }) => [name, help] as const),
        ...known.map((command) => [command.name, describeCommand(command)] as const),
      ]);
    },
    /** Whether a text that no built-in command takes can be sent: false for an unknown command alone. */
    async canSend(text: string): Promise<boolean> {
      const name = pattern.exec(text)?.[1];
      if (name === undefined || text.includes(" ")) return true;
      await load();
      // `/server:prompt` is another name of a prompt of an MCP server.
      const names = [name, `mcp__${name.replace(":", "__")}`];
      return known.some((command) => names.includes(command.name));
    },
  };
}

const describeCommand = ({ description, argumentHint }: UserCommand): string =>
  sanitizeLine([argumentHint, description].filter((part) => part !== "").join(" · "));
