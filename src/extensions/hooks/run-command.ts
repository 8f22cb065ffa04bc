/** One shell command of a hook. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";

export type CommandOptions = {
  cwd: string;
  /** The whole environment; no keys in it. */
  env: Record<string, string>;
  /** Text for its standard input. */
  input: string;
  timeoutMs: number;
  signal: AbortSignal;
};

export type CommandResult = { code: number; stdout: string; stderr: string };

/**
 * Runs a command until its shell ends. Output goes to files, not to pipes: a program that the command
 * leaves in the background would hold a pipe open. Rejects when the command takes too long; then, and
 * when the signal fires, it ends with everything it started.
 */
export async function runCommand(
  command: string,
  { cwd, env, input, timeoutMs, signal }: CommandOptions,
): Promise<CommandResult> {
  const folder = await mkdtemp(join(tmpdir(), "mini-claude-hook-"));
  const stdout = join(folder, "stdout");
  const stderr = join(folder, "stderr");
  try {
    const child = Bun.spawn(["bash", "-c", command], {
      cwd,
      env,
      stdin: new Blob([input]),
      stdout: Bun.file(stdout),
      stderr: Bun.file(stderr),
      detached: true,
    });
    let timedOut = false;
    const kill = () => killGroup(child.pid);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    signal.addEventListener("abort", kill);
    if (signal.aborted) kill();
    const code = await child.exited;
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    if (timedOut) throw new Error(`it was stopped after ${timeoutMs / 1000} s`);
    return { code, stdout: await readStart(stdout), stderr: await readStart(stderr) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The command and everything it started; it may have ended already. */
const killGroup = (pid: number): boolean => attempt(() => process.kill(-pid, "SIGKILL"), false);

/** Bytes of output that are read. */
const maxBytes = 100_000;

/** The last character may be incomplete: a decoder that expects more leaves it out. */
async function readStart(file: string): Promise<string> {
  const bytes = await Bun.file(file).slice(0, maxBytes).bytes();
  return new TextDecoder().decode(bytes, { stream: true }).trim();
}
