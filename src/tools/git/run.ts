import { realpath } from "node:fs/promises";
import { signalGroup } from "../../base/signals.ts";
import { quietGit } from "./environment.ts";
import { harmlessRepository } from "./repository.ts";

/** Longest time that a git command may take unless told otherwise, in milliseconds. */
const gitMs = 2_000;
const maxOutputBytes = 4 * 1024 * 1024;

/**
 * The output of a git command, run in `cwd`. Null when it fails or takes too long, and when git might
 * run a program for this repository. `PATH` and `HOME` are taken from `env`.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { ms = gitMs }: { ms?: number } = {},
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
      maxBuffer: maxOutputBytes,
      detached: true,
    });
    const timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), ms);
    const text = child.stdout.text();
    const code = await child.exited;
    clearTimeout(timer);
    // Processes that git leaves running would keep the pipe open.
    signalGroup(child.pid, "SIGKILL");
    return code === 0 ? (await text).trimEnd() : null;
  } catch {
    return null;
  }
}
