/** Drives a program in a real pseudo-terminal: for what the kernel and the process have a part in. */

import { emulate } from "./emulator.ts";

export type PtyOptions = {
  cols?: number;
  rows?: number;
  cwd?: string;
  /** Added to a minimal environment of PATH, HOME, TERM and LANG; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** The program reads lines: the terminal itself edits and echoes them. */
  isCooked?: boolean;
  /** Called with output as it arrives, before it is on the screen. */
  onOutput?(bytes: Uint8Array): void;
};

export type Pty = ReturnType<typeof start>;

/** Starts a program in a new terminal. */
export function start(command: string[], options: PtyOptions = {}) {
  const { cols = 100, rows = 30 } = options;
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  const allRead = Promise.withResolvers<void>();
  const child = Bun.spawn(command, {
    cwd: options.cwd ?? process.cwd(),
    env,
    terminal: {
      cols,
      rows,
      name: "xterm-256color",
      data(_, bytes) {
        options.onOutput?.(bytes);
        emulator.receive(bytes);
      },
      exit: () => allRead.resolve(),
    },
  });
  const pty = child.terminal;
  if (pty === undefined) throw new Error("pty: no pseudo-terminal could be opened");
  const emulator = emulate(
    { cols, rows },
    {
      // Output that was still unread at a hang-up holds queries, whose answers nothing reads.
      write: (text) => void (pty.closed || pty.write(text)),
      resize: (size) => pty.resize(size.cols, size.rows),
      // ICANON and ECHO are off: the program reads keys itself.
      isReading: () => options.isCooked === true || (pty.localFlags & 0o12) === 0,
      isClosed: () => child.exitCode !== null && pty.closed,
    },
  );
  const exited = child.exited.then(async (code) => {
    // The last output may be read only after the program's end. A process that it left behind may
    // keep the terminal open.
    if (!pty.closed) await Promise.race([allRead.promise, Bun.sleep(1_000)]);
    if (!pty.closed) await emulator.settled();
    return code;
  });
  return {
    ...emulator,
    pid: child.pid,
    /** Resolves when the program has ended and all that it wrote is on the screen, with its exit code. */
    exited,
    kill: (signal: NodeJS.Signals): void => child.kill(signal),
    /** Hangs up, like a terminal that is closed or loses its connection. */
    hangUp: () => pty.close(),
    async close(): Promise<void> {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
      if (!pty.closed) pty.close();
      emulator.terminal.dispose();
    },
  };
}
