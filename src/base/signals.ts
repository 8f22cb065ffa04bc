/** How the program is asked to end from outside. */

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
