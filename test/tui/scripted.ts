/** The real screen over a scripted agent, in a pseudo-terminal. */

import { join } from "node:path";
import { start, type Pty, type PtyOptions } from "./pty.ts";

/** Its source: see there what a script may hold. */
export const scriptedScreen = join(import.meta.dir, "scripted-screen.ts");

/** Starts it, and waits until it can be typed into. */
export async function openScripted(script: object = {}, options: PtyOptions = {}): Promise<Pty> {
  const command = [process.execPath, scriptedScreen, JSON.stringify(script)];
  const pty = start(command, { cols: 80, rows: 24, ...options });
  await pty.waitFor("❯ Ask");
  return pty;
}
