/** The real program in a pseudo-terminal, in a folder and a home of its own. */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../bin.ts";
import { start, type Pty, type PtyOptions } from "./pty.ts";

/** The prompt is empty and nothing is running. */
export const idle = /❯ Ask/;

export type Program = {
  root: string;
  /** The folder that the program is started in. */
  folder: string;
  env: Record<string, string>;
  /** Starts the program and waits for the prompt. */
  open(options?: { args?: string[] } & PtyOptions): Promise<Pty>;
  remove(): Promise<void>;
};

export async function program(name: string): Promise<Program> {
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
    folder,
    env,
    async open({ args = [], env: more, ...options } = {}) {
      const pty = start([cli, "--trust", ...args], {
        cwd: folder,
        ...options,
        env: { ...env, ...more },
      });
      await pty.waitFor(idle);
      return pty;
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
