/** The whole program in this process, with a terminal in memory, in a folder and a home of its own. */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../src/app/main.ts";
import { parseFlags } from "../../src/config/flags.ts";
import { folderWithBun } from "../bin.ts";
import { inMemory, type MemoryOptions, type MemoryTerminal } from "./memory.ts";

/** The prompt is empty and nothing is running. */
export const idle = /❯ Ask/;

type OpenOptions = MemoryOptions & {
  args?: string[];
  cwd?: string;
  /** What is shown once it has started. */
  wanted?: string | RegExp;
  /** With `--trust`, unless false. */
  isTrusted?: boolean;
};

export type Program = Awaited<ReturnType<typeof program>>;

/** Starts the program in a folder and waits for the prompt. */
export async function openProgram({
  args = [],
  cwd = process.cwd(),
  wanted = idle,
  isTrusted = true,
  ...options
}: OpenOptions): Promise<MemoryTerminal> {
  const flags = isTrusted ? ["--trust", ...args] : args;
  const terminal = inMemory(
    (env) =>
      main(
        () => parseFlags(flags),
        env,
        () => cwd,
      ),
    options,
  );
  await terminal.waitFor(wanted);
  return terminal;
}

export async function program(name: string) {
  const root = await mkdtemp(join(tmpdir(), `${name}-`));
  const folder = join(root, name);
  await mkdir(folder);
  const env = {
    HOME: root,
    MINI_CLAUDE_HOME: join(root, "home"),
    PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
  };
  return {
    root,
    /** The folder that the program is started in. */
    folder,
    env,
    /** Starts the program in the folder, unless another one is given. */
    open: (options: OpenOptions = {}) =>
      openProgram({ cwd: folder, ...options, env: { ...env, ...options.env } }),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
