/** The real screen with a scripted agent, in memory. */

import { inMemory, type MemoryOptions, type MemoryTerminal } from "./memory.ts";
import { runScripted, type Script } from "./scripted-screen.ts";

/** Starts it, and waits until it accepts text. */
export async function openScripted(
  script: Script = {},
  { wanted = /[❯>] Ask/, ...options }: MemoryOptions & { wanted?: string | RegExp } = {},
): Promise<MemoryTerminal> {
  const terminal = inMemory(() => runScripted(script), { cols: 80, rows: 24, ...options });
  await terminal.waitFor(wanted);
  return terminal;
}
