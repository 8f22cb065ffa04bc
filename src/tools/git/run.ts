import { realpath } from "node:fs/promises";
import { quietGit } from "./environment.ts";
import { harmlessRepository } from "./repository.ts";

/** Longest time that one git command may take, in milliseconds. */
const gitMs = 2_000;
const outputBytesAtMost = 4 * 1024 * 1024;

/**
 * The output of a git command that only looks, run in `cwd`. Null when it fails or takes too long,
 * and when git might run a program for this repository. `PATH` and `HOME` are taken from `env`.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  try {
    const folder = await realpath(cwd);
    if ((await harmlessRepository(folder)) === null) return null;
    const { PATH = "", HOME = "" } = env;
    const child = Bun.spawn(["git", ...args], {
      cwd: folder,
      env: { PATH, HOME, LC_ALL: "C", ...quietGit },
      stdin: "ignore",
      stderr: "ignore",
      maxBuffer: outputBytesAtMost,
      detached: true,
    });
    const timer = setTimeout(() => killGroup(child.pid), gitMs);
    const text = child.stdout.text();
    const code = await child.exited;
    clearTimeout(timer);
    // What git leaves running would keep the pipe open.
    killGroup(child.pid);
    return code === 0 ? (await text).trimEnd() : null;
  } catch {
    return null;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
