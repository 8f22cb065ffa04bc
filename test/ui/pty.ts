/**
 * Drives a program in a real pseudo-terminal and reads its screen. Waits for text rather than time, and
 * fails with the last screen if the text never appears.
 */

import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import xterm from "@xterm/headless";

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

export type Pty = {
  /** Sends raw text, once the program reads keys. */
  type(text: string): Promise<void>;
  /** Sends one key by name: "enter", "ctrl+c", "pageup", "alt+b", "x". */
  press(...chords: string[]): Promise<void>;
  /** Pastes text with bracketed paste. */
  paste(text: string): Promise<void>;
  /** Waits until the screen contains the text or meets the condition, and returns the screen. */
  waitFor(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string>;
  /** The screen as text, one line per row, without trailing spaces. */
  screen(): string;
  /** The styled cells, for pictures. */
  terminal: InstanceType<typeof xterm.Terminal>;
  /** Everything written so far, in bytes. */
  written(): number;
  /** The raw output, decoded. */
  output(): string;
  cursor(): { column: number; row: number };
  resize(cols: number, rows: number): void;
  /** From now on the terminal reads and answers nothing, until `release`. */
  hold(): void;
  release(): void;
  pid: number;
  /** Resolves when the program has ended and all that it wrote is on the screen, with its exit code. */
  exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** Hangs up, like a terminal that is closed or loses its connection. */
  hangUp(): void;
  close(): Promise<void>;
};

const sequences: Record<string, string> = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  space: " ",
  backspace: "\x7f",
  delete: "\x1b[3~",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageup: "\x1b[5~",
  pagedown: "\x1b[6~",
  "alt+enter": "\x1b\r",
  "ctrl+left": "\x1b[1;5D",
  "ctrl+right": "\x1b[1;5C",
  "ctrl+home": "\x1b[1;5H",
  "ctrl+end": "\x1b[1;5F",
  "ctrl+up": "\x1b[1;5A",
  "ctrl+down": "\x1b[1;5B",
  "alt+up": "\x1b[1;3A",
  "alt+down": "\x1b[1;3B",
};

/** The bytes that a terminal sends for a key. */
export function toBytes(chord: string): string {
  const known = sequences[chord];
  if (known !== undefined) return known;
  if (chord.startsWith("ctrl+") && chord.length === 6) {
    return String.fromCharCode(chord.charCodeAt(5) & 0x1f);
  }
  if (chord.startsWith("alt+") && chord.length === 5) return `\x1b${chord.slice(4)}`;
  if ([...chord].length === 1) return chord;
  throw new Error(`pty: no bytes known for the key "${chord}"`);
}

/** After this long `waitFor` fails and shows the screen, just before the suite would stop the test. */
const patienceMs = 240_000;

/** Starts a program in a new terminal. */
export function start(command: string[], options: PtyOptions = {}): Pty {
  const { cols = 100, rows = 30 } = options;
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000 });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  const changes = new Set<() => void>();
  const decoder = new TextDecoder();
  let output = "";
  let written = 0;
  const arrive = (bytes: Uint8Array): void => {
    terminal.write(bytes, () => {
      for (const changed of changes) changed();
    });
  };
  /** Output that the terminal has not read yet; null: it reads everything immediately. */
  let held: Uint8Array[] | null = null;
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
        written += bytes.length;
        output += decoder.decode(bytes, { stream: true });
        if (held === null) arrive(bytes);
        else held.push(bytes.slice());
      },
      exit: () => allRead.resolve(),
    },
  });
  const pty = child.terminal;
  if (pty === undefined) throw new Error("pty: no pseudo-terminal could be opened");
  // Answer the queries that a terminal answers (cursor position, device attributes). Output that
  // was still unread at a hang-up holds queries too, whose answers nothing reads.
  terminal.onData((reply) => {
    if (!pty.closed) pty.write(reply);
  });
  const ended = child.exited.then(async (code) => {
    // The last output may be read only after the program's end. A process that it left behind may
    // keep the terminal open.
    if (!pty.closed) await Promise.race([allRead.promise, Bun.sleep(1_000)]);
    if (!pty.closed) await new Promise<void>((shown) => terminal.write("", shown));
    for (const changed of changes) changed();
    return code;
  });

  const screen = (): string => {
    const lines: string[] = [];
    const buffer = terminal.buffer.active;
    for (let row = 0; row < terminal.rows; row++) {
      lines.push(
        buffer
          .getLine(buffer.viewportY + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
      );
    }
    return lines.join("\n").trimEnd();
  };

  const until = (what: string, holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(deadline);
        clearInterval(poll);
        changes.delete(check);
      };
      const fail = (why: string): void => {
        settle();
        reject(new Error(`pty: ${why} ${what}. The screen:\n${screen()}`));
      };
      const check = (): void => {
        if (holds()) {
          settle();
          resolve();
        } else if (child.exitCode !== null && pty.closed) fail("the program ended before");
      };
      const deadline = setTimeout(() => fail("waited in vain for"), patienceMs);
      // The kernel does not notify when a terminal enters raw mode or a program ends without
      // output.
      const poll = setInterval(check, 10);
      changes.add(check);
      check();
    });

  // ICANON and ECHO are off: the program reads keys itself.
  const ready = async (): Promise<void> => {
    if (!options.isCooked) await until("raw mode", () => (pty.localFlags & 0o12) === 0);
  };
  const send = async (text: string): Promise<void> => {
    await ready();
    pty.write(text);
  };

  return {
    terminal,
    type: send,
    async press(...chords) {
      for (const chord of chords) await send(toBytes(chord));
    },
    paste: (text) => send(`\x1b[200~${text}\x1b[201~`),
    async waitFor(wanted) {
      const holds = (): boolean => {
        const now = screen();
        if (typeof wanted === "string") return now.includes(wanted);
        return wanted instanceof RegExp ? wanted.test(now) : wanted(now);
      };
      await until(typeof wanted === "function" ? "a condition" : String(wanted), holds);
      return screen();
    },
    screen,
    written: () => written,
    output: () => output,
    cursor: () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY }),
    resize(newCols, newRows) {
      terminal.resize(newCols, newRows);
      pty.resize(newCols, newRows);
    },
    hold: () => void (held ??= []),
    release() {
      for (const bytes of held ?? []) arrive(bytes);
      held = null;
    },
    pid: child.pid,
    exited: ended,
    kill: (signal) => child.kill(signal),
    hangUp: () => pty.close(),
    async close() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
      if (!pty.closed) pty.close();
      terminal.dispose();
    },
  };
}
