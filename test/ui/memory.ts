/** Runs a program of the screen in this process, with a terminal in memory as its input and output. */

import { onTestFinished } from "bun:test";
import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { emulate, type Emulator, type Size } from "./emulator.ts";

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

class Display extends Writable {
  isTTY = true;
  columns: number;
  rows: number;
  constructor({ cols, rows }: Size, show: (bytes: Uint8Array) => void) {
    super({ write: (bytes, _, done) => (show(bytes), done()) });
    [this.columns, this.rows] = [cols, rows];
  }
}

export type MemoryTerminal = Emulator & {
  /** Resolves with the exit code, once all that the program wrote is on the screen. */
  exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  hangUp(): void;
  close(): Promise<void>;
};

export type MemoryOptions = Partial<Size> & {
  env?: Record<string, string>;
  /** Its owner closes it; otherwise the end of the test does. */
  isKept?: boolean;
};

let isOpen = false;

/** Starts `program`, which uses this process's input, output, environment and events as its own. */
export function inMemory(
  program: (env: Record<string, string>) => Promise<number>,
  { cols = 100, rows = 30, env: more, isKept = false }: MemoryOptions = {},
): MemoryTerminal {
  if (isOpen) throw new Error("The terminal before is still open.");
  isOpen = true;
  let hasEnded = false;
  const keyboard = new Keyboard();
  const display = new Display({ cols, rows }, (bytes) => emulator.receive(bytes));
  const emulator = emulate(
    { cols, rows },
    {
      write: (text) => void (keyboard.writableEnded || keyboard.write(text)),
      resize(size) {
        [display.columns, display.rows] = [size.cols, size.rows];
        display.emit("resize");
      },
      isReading: () => keyboard.isRaw,
      isClosed: () => hasEnded,
    },
  );
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, TERM: "xterm-256color", LANG: "C.UTF-8", ...more };
  const events = new EventEmitter();
  const restore = replaceProcess({ keyboard, display, env, events });
  const exited = (async () => {
    let code = 1;
    try {
      code = await program(env);
      return code;
    } finally {
      events.emit("exit", code);
      restore();
      isOpen = false;
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
    exited,
    kill: (signal) => void events.emit(signal, signal),
    hangUp,
    close,
  };
}

type Own = {
  keyboard: Keyboard;
  display: Display;
  env: Record<string, string>;
  events: EventEmitter;
};

/** Returns a function that undoes it. */
function replaceProcess({ keyboard, display, env, events }: Own): () => void {
  const { exitCode } = process;
  const own = {
    stdin: keyboard,
    stdout: display,
    env,
    on: events.on.bind(events),
    once: events.once.bind(events),
    off: events.off.bind(events),
    listenerCount: events.listenerCount.bind(events),
  };
  const before = Object.entries(own).map(([name, value]) => {
    const descriptor = Object.getOwnPropertyDescriptor(process, name);
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
    return { name, descriptor };
  });
  return () => {
    for (const { name, descriptor } of before) {
      if (descriptor) Object.defineProperty(process, name, descriptor);
      else Reflect.deleteProperty(process, name);
    }
    process.exitCode = exitCode ?? 0;
  };
}
