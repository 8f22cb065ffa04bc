/** Runs a program of the screen in this process, with a terminal in memory as its input and output. */

import { onTestFinished } from "bun:test";
import { PassThrough } from "node:stream";
import { Output, ownProcess } from "../own-process.ts";
import { emulate, type Size } from "./emulator.ts";

/** A keyboard that nothing types on before the program takes it over. */
class Keyboard extends PassThrough {
  isTTY = true;
  isRaw = false;
  setRawMode(on: boolean): void {
    this.isRaw = on;
  }
  ref(): void {}
  unref(): void {}
}

export type MemoryTerminal = ReturnType<typeof inMemory>;

export type MemoryOptions = Partial<Size> & {
  env?: Record<string, string>;
  /** Timers of up to this many milliseconds come in a tenth of their time. By default, frames do: nobody looks here. */
  quickMs?: number;
  /** The program reads lines: the terminal itself echoes them, and turns Ctrl-C into a signal. */
  isCooked?: boolean;
  /** Its owner closes it; otherwise the end of the test does. */
  isKept?: boolean;
  /** Where the program is installed, compiled; by default it runs from its sources. */
  installedAt?: string;
};

/** Timers of up to this many milliseconds come in a tenth of their time, until the returned function is called. */
function quickTimers(upToMs: number): () => void {
  const before = globalThis.setTimeout;
  const begin = (fire: () => void, ms = 0) => before(fire, ms > upToMs ? ms : ms / 10);
  globalThis.setTimeout = Object.assign(begin, before);
  return () => void (globalThis.setTimeout = before);
}

/** Starts `program`, which uses this process's input, output, environment and events as its own. */
export function inMemory(
  program: (env: Record<string, string>) => Promise<number>,
  options: MemoryOptions = {},
) {
  const { cols = 100, rows = 30, env: more, quickMs = 80, installedAt } = options;
  const { isCooked = false, isKept = false } = options;
  let hasEnded = false;
  const keyboard = new Keyboard();
  const display = new Output((bytes) => emulator.receive(bytes));
  display.isTTY = true;
  [display.columns, display.rows] = [cols, rows];
  const emulator = emulate(
    { cols, rows },
    {
      write(text) {
        if (keyboard.writableEnded) return;
        if (isCooked && text === "\x03") return void events.emit("SIGINT");
        const typed = isCooked ? text.replace("\r", "\n") : text;
        if (isCooked) emulator.receive(new TextEncoder().encode(typed));
        keyboard.write(typed);
      },
      resize(size) {
        [display.columns, display.rows] = [size.cols, size.rows];
        display.emit("resize");
      },
      isReading: () => isCooked || keyboard.isRaw,
      isClosed: () => hasEnded,
    },
  );
  const { PATH = "", HOME = "" } = process.env;
  // As the program's first line sets them.
  const asStarted = { ORIG_NODE_ENV: "", NODE_ENV: "production" };
  const env = { PATH, HOME, TERM: "xterm-256color", LANG: "C.UTF-8", ...asStarted, ...more };
  const { events, restore } = ownProcess({ stdin: keyboard, stdout: display, env, installedAt });
  const slowDown = quickTimers(quickMs);
  const exited = (async () => {
    let code = 1;
    try {
      code = await program(env);
      return code;
    } finally {
      slowDown();
      restore(code);
      hasEnded = true;
      await emulator.settled();
    }
  })();
  const hangUp = (): void => void keyboard.end();
  const close = async (): Promise<void> => {
    hangUp();
    await exited.catch(() => undefined);
    emulator.terminal.dispose();
  };
  if (!isKept) onTestFinished(close);
  return {
    ...emulator,
    /** Resolves with the exit code, once all that the program wrote is on the screen. */
    exited,
    kill: (signal: NodeJS.Signals): void => void events.emit(signal, signal),
    hangUp,
    close,
  };
}
