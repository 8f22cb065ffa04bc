/** Runs the program in this process, without a terminal: for what does not depend on a process of its own. */

import { readFile } from "node:fs/promises";
import { main } from "../src/app/main.ts";
import { parseFlags } from "../src/config/flags.ts";
import type { Run, RunOptions, Sandbox } from "./bin.ts";
import { Output, ownProcess } from "./own-process.ts";

/** Runs share standard input and output, so each waits for the one before. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * The sandbox with a `run` that takes a third of the processor time. What it spawns are processes.
 * `isTerminal`: its output and its errors go to a terminal.
 */
export const inProcess = (box: Sandbox, { isTerminal = false } = {}): Sandbox => ({
  ...box,
  run: (args, options = {}) => runInProcess(box, args, { ...options, isTerminal }),
});

type Place = Pick<Sandbox, "env" | "project">;
type BeginOptions = RunOptions & { isTerminal?: boolean; columns?: number; installedAt?: string };

/** Runs the program to its end. */
export function runInProcess(
  place: Place,
  args: string[],
  options: BeginOptions = {},
): Promise<Run> {
  const next = latest.then(() => runAlone(place, args, options));
  latest = next.catch(() => undefined);
  return next;
}

async function runAlone(box: Place, args: string[], options: BeginOptions): Promise<Run> {
  const input = new Blob([options.stdin ?? ""]).stream();
  const child = begin(box, args, options, input);
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, err };
}

/** Starts the program in this process and leaves it running. */
export function spawnInProcess(box: Place, args: string[], options: RunOptions = {}) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const bytes = (text: string | Uint8Array) =>
    typeof text === "string" ? new TextEncoder().encode(text) : text;
  return {
    stdin: {
      write: (text: string | Uint8Array): void =>
        void writer.write(bytes(text)).catch(() => undefined),
      end: () => writer.close().catch(() => undefined),
    },
    ...begin(box, args, options, readable),
  };
}

function begin(
  { env, project }: Place,
  args: string[],
  { env: more, cwd = project, isTerminal = false, columns, installedAt }: BeginOptions,
  input: ReadableStream<Uint8Array>,
) {
  const [out, err] = [received(), received()];
  out.output.isTTY = err.output.isTTY = isTerminal;
  if (isTerminal) [out.output.columns, out.output.rows] = [columns, 40];
  const own = { ...env, ...more };
  const { events, left, restore } = ownProcess({
    stdin: { isTTY: false },
    stdout: out.output,
    stderr: err.output,
    env: own,
    input,
    installedAt,
  });
  const run = async (): Promise<number> => {
    let code = 1;
    try {
      const ended = main(
        () => parseFlags(args),
        own,
        () => cwd,
      );
      code = await Promise.race([ended, left]);
      // Errors of a write come a little later.
      await new Promise(setImmediate);
      if (out.output.isLost || err.output.isLost) code = 1;
      return code;
    } finally {
      restore(code);
      out.end();
      err.end();
    }
  };
  return {
    stdout: out.stream,
    stderr: err.stream,
    exited: run(),
    kill: (signal: NodeJS.Signals): void => void events.emit(signal, signal),
    /** An error that nothing catches. False: the program does not handle such errors yet. */
    fail: (error: Error): boolean => events.emit("uncaughtException", error),
  };
}

/** Ends what a run has left: the next one in this process would name it, too. */
export async function endProcesses(ids: readonly number[]): Promise<void> {
  for (const id of ids) process.kill(id, "SIGKILL");
  const isAlive = async (id: number): Promise<boolean> =>
    /\) [^Z]/.test(await readFile(`/proc/${id}/stat`, "utf8").catch(() => ""));
  while ((await Promise.all(ids.map(isAlive))).includes(true)) await Bun.sleep(5);
}

/** An output, and what arrives there. The reason for which it is cancelled is the error of later writes. */
function received() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let code = "EPIPE";
  const stream = new ReadableStream<Uint8Array>({
    start: (opened) => void (controller = opened),
    cancel(reason = code) {
      controller = undefined;
      code = String(reason);
    },
  });
  const output = new Output((bytes) => {
    if (controller) return controller.enqueue(bytes.slice());
    throw Object.assign(new Error(`write ${code}`), { code });
  });
  return {
    stream,
    output,
    end: () => {
      controller?.close();
      controller = undefined;
    },
  };
}
