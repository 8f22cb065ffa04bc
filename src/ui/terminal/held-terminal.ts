/**
 * Holds the terminal while the screen is shown: the alternate screen, keys one by one and without
 * echo, and no output of libraries. Always restores it, however the program ends.
 */

type HoldOptions = {
  write(code: string): void;
  setRawMode(on: boolean): void;
  /** False: output stays in the scrollback, as screen readers need. */
  isAlternate?: boolean;
};

/** Without wrapping: a row that is wider here than we think is cut, and no other row is touched. */
const enterCodes = "\x1b[?1049h\x1b[?7l\x1b[?25l";
/** Cleared first: without an alternate screen (GNU screen, consoles), later output would mix with the frame. */
const leaveCodes = "\x1b[?25h\x1b[?7h\x1b[H\x1b[2J\x1b[?1049l";

/** Output of libraries, which would be drawn across the screen, is dropped. */
const printers = ["log", "info", "warn", "error", "debug"] as const;

export function holdTerminal({ write, setRawMode, isAlternate = true }: HoldOptions) {
  const print = Object.fromEntries(printers.map((name) => [name, console[name]]));
  let isHeld = false;
  let isReleased = false;
  const hold = (on: boolean): void => {
    if (isHeld === on) return;
    isHeld = on;
    if (on && isAlternate) write(enterCodes);
    try {
      setRawMode(on);
    } catch (error) {
      // A terminal that is gone cannot leave raw mode.
      if (on) throw error;
    }
    if (!on && isAlternate) write(leaveCodes);
  };
  const release = (): void => {
    isReleased = true;
    process.off("exit", release);
    Object.assign(console, print);
    hold(false);
  };
  // Nothing else runs when the process exits immediately.
  process.on("exit", release);
  for (const name of printers) console[name] = () => undefined;
  hold(true);
  return {
    async suspend(work: () => Promise<void>): Promise<void> {
      hold(false);
      try {
        await work();
      } finally {
        if (!isReleased) hold(true);
      }
    },
    release,
  };
}

/** A resized terminal is drawn again after this time, when no frame for the old size is under way. */
const resizeMs = 80;

/** Calls `repaint` when the terminal's rows may not be what was drawn. Returns a function that ends this. */
export function watchSize(repaint: () => void): () => void {
  // A frame under way while the size changed may have been cut or wrapped. The signal also comes when
  // the size is the old one again, which the stream does not report.
  let settled: ReturnType<typeof setTimeout> | undefined;
  const onResize = (): void => {
    clearTimeout(settled);
    settled = setTimeout(repaint, resizeMs);
  };
  process.stdout.on("resize", repaint);
  process.on("SIGWINCH", onResize);
  // After a stop from outside, other programs may have drawn over the screen.
  process.on("SIGCONT", onResize);
  return () => {
    clearTimeout(settled);
    process.stdout.off("resize", repaint);
    process.off("SIGWINCH", onResize);
    process.off("SIGCONT", onResize);
  };
}

export const exitCodes = { hungUp: 129, interrupted: 130, terminated: 143 } as const;

type EndingOptions = {
  end(code: number): void;
  crash(error: unknown): void;
  /** Replaces the exit on Ctrl-C, where it is a signal and no key. */
  interrupted?(): void;
  /** Another program has the terminal: Ctrl-C is sent to both and meant for that one. */
  isAway(): boolean;
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
    if (!isAway()) interrupted();
  };
  const onHangUp = (): void => end(exitCodes.hungUp);
  process.on("SIGTERM", onTerm).on("SIGINT", onInterrupt);
  process.on("SIGHUP", onHangUp);
  stdout.on("error", onHangUp);
  process.on("uncaughtException", crash).on("unhandledRejection", crash);
  return (isLast) => {
    process.off("SIGTERM", onTerm).off("SIGINT", onInterrupt);
    process.off("uncaughtException", crash).off("unhandledRejection", crash);
    if (isLast) return;
    process.off("SIGHUP", onHangUp);
    stdout.off("error", onHangUp);
  };
}

export function terminalSize(): { columns: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}
