/** The real screen with a scripted agent, in a pseudo-terminal. */

import { join } from "node:path";
import { start, type Pty, type PtyOptions } from "./pty.ts";

/** The source of the program, which describes the commands of a script. */
export const scriptedScreen = join(import.meta.dir, "scripted-screen.ts");

/** Starts it, and waits until it accepts text. */
export async function openScripted(script: object = {}, options: PtyOptions = {}): Promise<Pty> {
  const command = [process.execPath, scriptedScreen, JSON.stringify(script)];
  const pty = start(command, { cols: 80, rows: 24, ...options });
  await pty.waitFor("❯ Ask");
  return pty;
}
