/** Non-user exits: signals, lost terminal, uncaught errors. */

/** Exit codes of a program that was ended by a signal. */
export const exitCodes = { hungUp: 129, interrupted: 130, terminated: 143 } as const;

type EndingOptions = {
  end(code: number): void;
  /** Without it, such errors end the program by themselves. */
  crash?(error: unknown): void;
  /** Replaces the exit on Ctrl-C, where it is a signal and no key. */
  interrupted?(): void;
  /** Another program has the terminal: Ctrl-C is sent to both and meant for that one. */
  isAway?(): boolean;
};

/**
 * Calls `end` or `crash` when something would end the program, so that the terminal can be restored
 * first. Returns a function that stops this. `isLast`: nothing more is shown on the terminal, but
 * it stays guarded: on a disconnect stdin ends first, then the signal comes, then every write
 * fails, and closing the log and ending commands must survive them all.
 */
export function watchForEnd({
  end,
  crash,
  isAway,
  interrupted = () => end(exitCodes.interrupted),
}: EndingOptions): (isLast: boolean) => void {
  const { stdout } = process;
  const onTerm = (): void => end(exitCodes.terminated);
  const onInterrupt = (): void => {
    if (!isAway?.()) interrupted();
  };
  const onHangUp = (): void => end(exitCodes.hungUp);
  process.on("SIGTERM", onTerm).on("SIGINT", onInterrupt);
  process.on("SIGHUP", onHangUp);
  stdout.on("error", onHangUp);
  if (crash) process.on("uncaughtException", crash).on("unhandledRejection", crash);
  return (isLast) => {
    process.off("SIGTERM", onTerm).off("SIGINT", onInterrupt);
    if (crash) process.off("uncaughtException", crash).off("unhandledRejection", crash);
    if (isLast) return;
    process.off("SIGHUP", onHangUp);
    stdout.off("error", onHangUp);
  };
}
