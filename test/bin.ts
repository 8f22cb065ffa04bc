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

export type RunOptions = {
  env?: Record<string, string>;
  /** The project folder, unless another one is given. */
  cwd?: string;
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
  return {
    root,
    home,
    project,
    env,
    run: (args, { env: more, cwd = project, stdin } = {}) =>
      awaitResult(
        Bun.spawn([program, ...args], {
          cwd,
          env: { ...env, ...more },
          stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
          stdout: "pipe",
          stderr: "pipe",
        }),
      ),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Everything that a program wrote, once it has ended. */
export async function awaitResult(
  child: Bun.Subprocess<"ignore" | "pipe" | Blob, "pipe", "pipe">,
): Promise<Run> {
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}
