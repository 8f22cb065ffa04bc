/** How the program is asked to end from outside, and how it ends others. */

import { attempt } from "./guards.ts";

/** With the exit codes that shells give for them. */
const leavingSignals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type LeavingSignal = keyof typeof leavingSignals;

const names: readonly LeavingSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Until something else handles a signal, it ends the program at once, with what it does on exit;
 * while `isClosing`, not even then: unsaved work is saved within seconds.
 */
export function exitOnSignals(isClosing: () => boolean = () => false): void {
  for (const name of names)
    process.on(name, () => {
      if (process.listenerCount(name) === 1 && !isClosing()) process.exit(leavingSignals[name]);
    });
}

/** Calls `leave` with the exit code for each such signal, from now on. */
export function onSignals(leave: (code: number) => void): void {
  for (const name of names) process.on(name, () => leave(leavingSignals[name]));
}

const isWindows = process.platform === "win32";

/**
 * Makes a program lead a process group. Not on Windows, where the program would have no console, and its children
 * would open windows.
 */
export const leadsGroup = { detached: !isWindows, windowsHide: true } as const;

/**
 * Signals a process that leads a group, and all that it started; one that has ended is not an error.
 * Windows has neither groups nor signals: there the process and its descendants are ended.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (!isWindows) return void attempt(() => process.kill(-leader, signal), false);
  // Children of an exited process are unknown, and its id may be reused.
  if (!groupExists(leader)) return;
  const end = ["taskkill", "/PID", String(leader), "/T", "/F"];
  attempt(() => Bun.spawnSync(end, { stdout: "ignore", stderr: "ignore" }), null);
}

/** Whether a group has any process, even a zombie. */
export const groupExists = (leader: number): boolean =>
  attempt(() => process.kill(isWindows ? leader : -leader, 0), false);
