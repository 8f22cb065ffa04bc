/** Standard output and standard error. Text from elsewhere cannot control the terminal. */

import { errorMessage } from "../../base/format.ts";
import { jsonToTerminal, toTerminal } from "../../base/escape-terminal.ts";

/** For users: messages and answers. */
export const writeText = (text: string): void => void process.stdout.write(toTerminal(text));

/** For files and programs: unchanged, unless a terminal shows it. */
export const writeData = (text: string): void =>
  process.stdout.isTTY ? writeText(text) : void process.stdout.write(text);

/** One message, on a line of its own. */
export const printMessage = (message: object): void =>
  writeData(`${jsonToTerminal(JSON.stringify(message))}\n`);

export const writeError = (text: string): void => void process.stderr.write(toTerminal(text));

/** An uncaught error is one sentence, too: the runtime would print the whole object. */
export function onUncaughtError(): void {
  const end = (error: unknown): void => {
    writeError(`mini-claude: ${errorMessage(error)}\n`);
    process.exit(1);
  };
  process.on("uncaughtException", end).on("unhandledRejection", end);
}

type WriteError = NodeJS.ErrnoException;

const rethrow = (error: WriteError): void => {
  throw error;
};

/**
 * Calls `leave` when the reader of standard output has gone, as `| head -1` does, and `fail` when it
 * cannot be written for another reason, such as a full disk.
 */
export function onClosedPipe(leave: () => void, fail: (error: WriteError) => void = rethrow): void {
  process.stdout.on("error", (error: WriteError) => {
    if (error.code === "EPIPE") leave();
    else fail(error);
  });
}

/** Progress that cannot be written must not end the work. */
export const ignoreLostErrors = (): void => void process.stderr.on("error", (): void => undefined);
