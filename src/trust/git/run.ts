import { realpath } from "node:fs/promises";
import { leadsGroup, signalGroup } from "../../base/signals.ts";
import { harmlessRepository } from "./repository.ts";

/** Outrank those of a repository, so that git runs no programs. */
const settings: Record<string, string> = {
  "core.attributesFile": "/dev/null",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "diff.ignoreSubmodules": "all",
  "gc.auto": "0",
  "log.showSignature": "false",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
};

const numbered = Object.entries(settings).flatMap(([key, value], at) => [
  [`GIT_CONFIG_KEY_${at}`, key],
  [`GIT_CONFIG_VALUE_${at}`, value],
]);

/** Without the settings of the user and the system: those may name programs, too. */
export const quietGit: Readonly<Record<string, string>> = {
  ...Object.fromEntries(numbered),
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

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
      ...leadsGroup,
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
