/**
 * A terminal for a program under test: it shows as cells what the program writes, answers its queries, and
 * sends it keys. Waits for text rather than time, and fails with the last screen if the text never appears.
 */

import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import xterm from "@xterm/headless";

export type Size = { cols: number; rows: number };

/** The program's end of a terminal. */
export type Line = {
  write(text: string): void;
  resize(size: Size): void;
  /** The program reads keys now. */
  isReading(): boolean;
  /** The program has ended, and nothing is left to read. */
  isClosed(): boolean;
};

const sequences: Record<string, string> = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  up: "\x1b[A",
  down: "\x1b[B",
  home: "\x1b[H",
  pageup: "\x1b[5~",
  "alt+enter": "\x1b\r",
  "ctrl+end": "\x1b[1;5F",
  "alt+up": "\x1b[1;3A",
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

/** What the screen contains, or a condition for it. */
export type Wanted = string | RegExp | ((screen: string) => boolean);

export type Emulator = ReturnType<typeof emulate>;

export function emulate({ cols, rows }: Size, line: Line) {
  // A line's end also returns to its start, which is otherwise the kernel's doing.
  const options = { allowProposedApi: true, convertEol: true, scrollback: 1000 };
  const terminal = new xterm.Terminal({ cols, rows, ...options });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  terminal.onData((reply) => line.write(reply));
  const changes = new Set<() => void>();
  const decoder = new TextDecoder();
  let output = "";
  let written = 0;
  const changed = (): void => {
    for (const check of changes) check();
  };
  const show = (bytes: Uint8Array): void => terminal.write(bytes, changed);
  /** Output that the terminal has not read yet; null: it reads everything immediately. */
  let held: Uint8Array[] | null = null;

  const screen = (): string => {
    const { active } = terminal.buffer;
    const rowText = (row: number): string | undefined =>
      active
        .getLine(active.viewportY + row)
        ?.translateToString(true)
        .trimEnd();
    const lines = Array.from({ length: terminal.rows }, (_, row) => rowText(row) ?? "");
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
        reject(new Error(`terminal: ${why} ${what}. The screen:\n${screen()}`));
      };
      const check = (): void => {
        if (holds()) {
          settle();
          resolve();
        } else if (line.isClosed()) fail("the program ended before");
      };
      const deadline = setTimeout(() => fail("waited in vain for"), patienceMs);
      // Nothing tells when a program begins to read keys or ends without output.
      const poll = setInterval(check, 10);
      changes.add(check);
      check();
    });

  const type = async (text: string): Promise<void> => {
    // A program that has ended by an earlier key takes no more.
    await until("a program that reads keys", () => line.isReading() || line.isClosed());
    line.write(text);
  };

  const press = async (...chords: string[]): Promise<void> => {
    for (const chord of chords) await type(toBytes(chord));
  };
  const waitFor = async (wanted: Wanted): Promise<string> => {
    const holds = (): boolean => {
      const now = screen();
      if (typeof wanted === "string") return now.includes(wanted);
      return wanted instanceof RegExp ? wanted.test(now) : wanted(now);
    };
    await until(typeof wanted === "function" ? "a condition" : String(wanted), holds);
    return screen();
  };

  return {
    /** Output of the program. */
    receive(bytes: Uint8Array): void {
      written += bytes.length;
      output += decoder.decode(bytes, { stream: true });
      if (held === null) show(bytes);
      else held.push(bytes.slice());
    },
    /** Resolves once everything received is on the screen. */
    async settled(): Promise<void> {
      await new Promise<void>((shown) => terminal.write("", shown));
      changed();
    },
    /** The styled cells, for pictures. */
    terminal,
    /** Sends raw text, once the program reads keys. */
    type,
    /** Sends keys by name: "enter", "ctrl+c", "pageup", "alt+b", "x". */
    press,
    /** Pastes text with bracketed paste. */
    paste: (text: string): Promise<void> => type(`\x1b[200~${text}\x1b[201~`),
    /** Waits until the screen contains the text or meets the condition, and returns the screen. */
    waitFor,
    /** Types a line and Enter, and waits. */
    async send(text: string, wanted: Wanted): Promise<string> {
      await type(`${text}\r`);
      return waitFor(wanted);
    },
    /** Presses a key and waits. */
    async hit(chord: string, wanted: Wanted): Promise<string> {
      await press(chord);
      return waitFor(wanted);
    },
    /** The screen as text, one line per row, without trailing spaces. */
    screen,
    /** Everything written so far, in bytes. */
    written: () => written,
    /** The raw output, decoded. */
    output: () => output,
    cursor: () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY }),
    resize(newCols: number, newRows: number): void {
      terminal.resize(newCols, newRows);
      line.resize({ cols: newCols, rows: newRows });
    },
    /** Does this while the terminal owes an answer, which comes a little later. */
    async beforeAnswer(work: () => Promise<void>): Promise<void> {
      const asked = (): number => output.split("\x1b[5n").length;
      const before = asked();
      this.hold();
      // A frame that is drawn while an earlier answer is on its way asks nothing.
      for (let columns = 80 + before; asked() === before; columns++) {
        this.resize(columns, 30);
        await Bun.sleep(100);
      }
      await work();
      await Bun.sleep(50);
      this.release();
    },
    /** From now on the terminal reads and answers nothing, until `release`. */
    hold: (): void => void (held ??= []),
    release(): void {
      for (const bytes of held ?? []) show(bytes);
      held = null;
    },
  };
}
