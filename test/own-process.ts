/** Gives a program that runs in this process its own streams, variables and events. */

import { EventEmitter } from "node:events";
import { Writable } from "node:stream";

/** Standard output or standard error. Where `receive` throws, the writer gets the error. */
export class Output extends Writable {
  isTTY = false;
  /** There was an error that the program did not handle. */
  isLost = false;
  columns: number | undefined;
  rows: number | undefined;
  constructor(receive: (bytes: Uint8Array) => void) {
    super({
      write(bytes, _, done) {
        try {
          receive(bytes);
          done();
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      },
    });
    this.on("error", () => (this.isLost ||= this.listenerCount("error") === 1));
  }
}

type Streams = {
  /** `process.stdin`, as far as the program uses it. */
  stdin: object;
  stdout: Output;
  stderr?: Output;
  env: Record<string, string>;
  /** What is read from `Bun.stdin`. */
  input?: ReadableStream<Uint8Array>;
  /** Where the program is installed, compiled; by default it runs from its sources. */
  installedAt?: string | undefined;
};

let isTaken = false;

/** Ends with `restore`. `events` are those of the process: signals, exit. */
export function ownProcess({ stdin, stdout, stderr, env, input, installedAt }: Streams) {
  if (isTaken) throw new Error("Another program still runs in this process.");
  isTaken = true;
  const events = new EventEmitter();
  const { exitCode } = process;
  const left = Promise.withResolvers<number>();
  const undo = [
    replace(process, {
      stdin,
      stdout,
      ...(stderr && { stderr }),
      ...(installedAt && { execPath: installedAt, argv: ["bun", "/$bunfs/root/mini-claude"] }),
      env,
      on: events.on.bind(events),
      once: events.once.bind(events),
      off: events.off.bind(events),
      listenerCount: events.listenerCount.bind(events),
      exit: left.resolve,
    }),
    ...(input ? [replace(Bun.stdin, { stream: () => input })] : []),
    replace(Bun.stdout, {
      writer: () => ({ write: (bytes: Uint8Array) => stdout.write(bytes), flush: async () => 0 }),
    }),
  ];
  return {
    events,
    /** The program was ended by `process.exit`. What it has begun goes on, without a place to write. */
    left: left.promise,
    restore(code: number): void {
      events.emit("exit", code);
      for (const output of [stdout, stderr]) output?.removeAllListeners();
      for (const each of undo) each();
      process.exitCode = exitCode ?? 0;
      isTaken = false;
    },
  };
}

/** Returns a function that undoes it. */
function replace(target: object, own: object): () => void {
  const before = Object.entries(own).map(([name, value]) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    return { name, descriptor };
  });
  return () => {
    for (const { name, descriptor } of before) {
      if (descriptor) Object.defineProperty(target, name, descriptor);
      else Reflect.deleteProperty(target, name);
    }
  };
}
