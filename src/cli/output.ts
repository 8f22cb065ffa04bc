/** Standard output and standard error. What others wrote cannot control the terminal. */

import { toTerminal } from "../protocol/to-terminal.ts";

/** For people: messages and answers. */
export const writeText = (text: string): void => void process.stdout.write(toTerminal(text));

/** For files and programs: as it is, unless a terminal shows it. */
export const writeData = (text: string): void =>
  process.stdout.isTTY ? writeText(text) : void process.stdout.write(text);

export const writeError = (text: string): void => void process.stderr.write(toTerminal(text));

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** An uncaught error is one sentence, too: the runtime would print the whole object. */
export function onUncaughtError(): void {
  const end = (error: unknown): void => {
    writeError(`mini-claude: ${messageOf(error)}\n`);
    process.exit(1);
  };
  process.on("uncaughtException", end).on("unhandledRejection", end);
}
