/** Runs the program in this process: for what does not depend on a process of its own. */

import { spyOn } from "bun:test";
import { main } from "../src/app/main.ts";
import { parseFlags } from "../src/config/flags.ts";
import type { Run, RunOptions, Sandbox } from "./bin.ts";

/** Runs share standard input and output, so each waits for the one before. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * The sandbox with a `run` that takes a third of the processor time. What it spawns are processes.
 * `isTerminal`: its output and its errors go to a terminal.
 */
export const inProcess = (box: Sandbox, { isTerminal = false } = {}): Sandbox => ({
  ...box,
  run(args, options = {}) {
    const next = latest.then(() => runAlone(box, args, { ...options, isTerminal }));
    latest = next.catch(() => undefined);
    return next;
  },
});

async function runAlone(
  { env, project }: Sandbox,
  args: string[],
  { env: more, cwd = project, stdin = "", isTerminal }: RunOptions & { isTerminal: boolean },
): Promise<Run> {
  let out = "";
  let err = "";
  const { stdin: input, stdout: output } = process;
  const { stderr } = process;
  const terminals = [input.isTTY, output.isTTY, stderr.isTTY];
  const code = process.exitCode;
  input.isTTY = false;
  output.isTTY = stderr.isTTY = isTerminal;
  // What ends a process is the tests' own: signals, uncaught errors.
  const listens = spyOn(process, "on").mockReturnValue(process);
  const spies = [
    listens,
    spyOn(Bun.stdin, "stream").mockImplementation(() => new Blob([stdin]).stream()),
    spyOn(output, "write").mockImplementation((text) => ((out += String(text)), true)),
    spyOn(stderr, "write").mockImplementation((text) => ((err += String(text)), true)),
    spyOn(output, "on").mockReturnValue(output),
    spyOn(stderr, "on").mockReturnValue(stderr),
  ];
  try {
    const exit = await main(
      () => parseFlags(args),
      { ...env, ...more },
      () => cwd,
    );
    for (const [event, listener] of listens.mock.calls)
      if (String(event) === "exit") Reflect.apply(listener, process, [exit]);
    return { code: exit, out, err };
  } finally {
    for (const spy of spies) spy.mockRestore();
    [input.isTTY = false, output.isTTY = false, stderr.isTTY = false] = terminals;
    process.exitCode = code ?? 0;
  }
}
