/**
 * Holds the terminal while the screen is shown: the alternate screen, keys one by one and without
 * echo, and no output of libraries. Hands it over to other programs, and always restores it.
 */

type HoldOptions = {
  write(code: string): void;
  /** Raw: every key is read as it is pressed. */
  setRawMode(on: boolean): void;
  /** False: what is written stays in the scrollback, as screen readers need it. */
  isAlternate?: boolean;
};

/** Without wrapping: a row that is wider here than we think is cut, and no other row is touched. */
const enter = "\x1b[?1049h\x1b[?7l\x1b[?25l";
/** Cleared, because GNU screen and consoles have no alternate screen: what follows would be mixed into it. */
const leave = "\x1b[?25h\x1b[?7h\x1b[H\x1b[2J\x1b[?1049l";

/** Output of libraries, which would be drawn across the screen, is dropped. */
const printers = ["log", "info", "warn", "error", "debug"] as const;

export function holdTerminal({ write, setRawMode, isAlternate = true }: HoldOptions) {
  const print = Object.fromEntries(printers.map((name) => [name, console[name]]));
  let isHeld = false;
  let isReleased = false;
  const hold = (on: boolean): void => {
    if (isHeld === on) return;
    isHeld = on;
    if (on && isAlternate) write(enter);
    try {
      setRawMode(on);
    } catch (error) {
      // A terminal that is gone cannot leave raw mode.
      if (on) throw error;
    }
    if (!on && isAlternate) write(leave);
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
    /** Runs `work`, such as an editor, with the terminal as it was before. */
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
