/** Runs the real program as a shell would: by its shebang, with `bun` on the PATH. */

import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, sources } from "./builds.ts";

export { cli, sources };

/** A folder for the PATH in which `bun` is the Bun that runs the tests, whatever its file is called. */
export async function folderWithBun(root: string): Promise<string> {
  const folder = join(root, "bin");
  await mkdir(folder, { recursive: true });
  await symlink(process.execPath, join(folder, "bun")).catch(() => undefined);
  return folder;
}

export type Run = { code: number; out: string; err: string };

type Stdin = "ignore" | "pipe" | Blob;

export type RunOptions = {
  env?: Record<string, string>;
  /** The project folder, unless another one is given. */
  cwd?: string;
  /** A copy of the program in another place. */
  bin?: string;
  stdin?: string;
};

export type Sandbox = {
  /** Holds everything below; removed by `remove`. */
  root: string;
  /** `MINI_CLAUDE_HOME` of the runs. */
  home: string;
  /** The folder in which the program is started. */
  project: string;
  env: Record<string, string>;
  /** Starts the program and leaves it running. */
  spawn<In extends Stdin>(
    args: string[],
    options: Omit<RunOptions, "stdin"> & { stdin: In },
  ): Bun.Subprocess<In, "pipe", "pipe">;
  /** Runs the program to its end. */
  run(args: string[], options?: RunOptions): Promise<Run>;
  remove(): Promise<void>;
};

/** A home, a project folder and an environment of their own, for runs of a program. */
export async function sandbox(name: string, program = cli): Promise<Sandbox> {
  const root = await mkdtemp(join(tmpdir(), `${name}-`));
  const home = join(root, "home", ".mini-claude");
  const project = join(root, "project");
  await Promise.all([mkdir(join(root, "home")), mkdir(project)]);
  const env = {
    PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
    HOME: join(root, "home"),
    MINI_CLAUDE_HOME: home,
  };
  const spawn: Sandbox["spawn"] = (args, options) =>
    Bun.spawn([options.bin ?? program, ...args], {
      cwd: options.cwd ?? project,
      env: { ...env, ...options.env },
      stdin: options.stdin,
      stdout: "pipe",
      stderr: "pipe",
    });
  return {
    root,
    home,
    project,
    env,
    spawn,
    run: (args, { stdin, ...options } = {}) =>
      awaitResult(
        spawn(args, { ...options, stdin: stdin === undefined ? "ignore" : new Blob([stdin]) }),
      ),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Everything that a program wrote, once it has ended. */
export async function awaitResult(child: Bun.Subprocess<Stdin, "pipe", "pipe">): Promise<Run> {
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}
