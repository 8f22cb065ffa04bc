/** The real screen with a scripted agent, in a pseudo-terminal. */

import { scriptedCommand } from "../builds.ts";
import { start, type Pty, type PtyOptions } from "./pty.ts";

/** Starts it, and waits until it accepts text. */
export async function openScripted(script: object = {}, options: PtyOptions = {}): Promise<Pty> {
  const pty = start(scriptedCommand(script), { cols: 80, rows: 24, ...options });
  await pty.waitFor("❯ Ask");
  return pty;
}
