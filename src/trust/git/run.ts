/** Runs git so that nothing which a repository configures runs with it. */

import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { leadsGroup, signalGroup } from "../../base/signals.ts";
import { findRepository } from "./git-folders.ts";

/** Outrank those of a repository, so that git runs no programs. */
const settings: Record<string, string> = {
  "core.alternateRefsCommand": "",
  "core.askPass": "",
  "core.attributesFile": "/dev/null",
  "core.editor": "false",
  "core.fsmonitor": "false",
  "core.gitProxy": "",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.sshCommand": "false",
  "commit.gpgSign": "false",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "fetch.recurseSubmodules": "false",
  "gc.auto": "0",
  "gpg.program": "false",
  "log.showSignature": "false",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  "protocol.ext.allow": "never",
  "protocol.file.allow": "never",
  "safe.bareRepository": "explicit",
  // Containers and mounts: the user trusts the folder, and nothing in it runs.
  "safe.directory": "*",
  "submodule.recurse": "false",
  "tag.gpgSign": "false",
};

function asVariables(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values);
  const numbered = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(entries.length) };
}

/** Ignores user and system configuration, which may also name programs. */
export const quietGit: Readonly<Record<string, string>> = {
  ...asVariables(settings),
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
const gitMs = 10_000;
const maxOutputBytes = 4 * 1024 * 1024;

/** Settings whose names hold a name of the repository's choice, with values that run nothing. */
const named: readonly (readonly [pattern: string, value: string])[] = [
  ["filter\\..*\\.(clean|smudge|process)", ""],
  ["filter\\..*\\.required", "false"],
  ["merge\\..*\\.driver", "false"],
];

/**
 * The output of a git command that prints no changes, run in `cwd`. Null when it fails or takes too long. `PATH` and
 * `HOME` are taken from `env`.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { ms = gitMs }: { ms?: number } = {},
): Promise<string | null> {
  try {
    const folder = await realpath(cwd);
    if (stuck.has(folder)) return null;
    const repository = await findRepository(folder);
    const parts = repository && [join(repository.common, "config"), join(repository.own, "HEAD")];
    // Git would wait for its contents until the time is up.
    if (parts?.some((path) => attempt(() => statSync(path).isFIFO(), false))) return null;
    const { PATH = "", HOME = "" } = env;
    const plain = { PATH, HOME, LC_ALL: "C", ...quietGit };
    const pattern = `^(${named.map(([keys]) => keys).join("|")})$`;
    const list = ["config", "--name-only", "-z", "--get-regexp", pattern];
    const keys =
      (await start(list, folder, plain, gitMs).catch((error: unknown) => {
        stuck.add(folder);
        throw error;
      })) ?? "";
    const quiet = Object.fromEntries(
      keys.split("\0").flatMap((key) => {
        const value = named.find(([keys]) => new RegExp(`^${keys}$`, "is").test(key))?.[1];
        return value === undefined ? [] : [[key, value]];
      }),
    );
    return await start(args, folder, { ...plain, ...asVariables({ ...settings, ...quiet }) }, ms);
  } catch {
    return null;
  }
}

/** Folders in which git cannot even read its settings, which may include a pipe. */
const stuck = new Set<string>();

/** Null when git fails; throws when it takes too long. */
async function start(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
  ms: number,
): Promise<string | null> {
  const child = Bun.spawn(["git", ...args], {
    cwd,
    env,
    stdin: "ignore",
    stderr: "ignore",
    maxBuffer: maxOutputBytes,
    ...leadsGroup,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    signalGroup(child.pid, "SIGKILL");
  }, ms);
  const text = child.stdout.text();
  const code = await child.exited;
  clearTimeout(timer);
  // Processes that git leaves running would keep the pipe open.
  signalGroup(child.pid, "SIGKILL");
  if (isLate) throw new Error(`git took longer than ${ms} ms.`);
  return code === 0 ? (await text).trimEnd() : null;
}
