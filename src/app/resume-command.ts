import { realpathSync } from "node:fs";
import { delimiter, dirname, sep } from "node:path";
import type { Environment } from "../base/environment.ts";
import { findRunner, isCompiled } from "../base/installed.ts";
import { quoteWhereNeeded } from "../base/shell-quote.ts";

const addedByRunner = /[\\/](?:node_modules[\\/]\.bin|bun-node-[^\\/]*)$/;

/** How this process was started. */
type StartedProgram = {
  env: Environment;
  /** The running `cli.tsx`. */
  script: string;
  cwd: string;
  worktree?: string | undefined;
  /** The running program: this one, or Bun. */
  executable?: string;
};

/** The shell command that resumes the session from this folder, independent of how this process was started. */
export function resumeCommand(
  session: string,
  { env, script, cwd, worktree, executable = process.execPath }: StartedProgram,
): string {
  // Package runners, and Bun itself, add folders to PATH that the user's shell does not have.
  const shellPath = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !addedByRunner.test(folder))
    .join(delimiter);
  const has = (command: string): boolean => Bun.which(command, { PATH: shellPath }) !== null;
  const where = worktree === undefined ? "" : ` --worktree ${worktree}`;
  return `${program()}${where} --resume ${session}`;

  function runStart(): string {
    const bun = has("bun") ? "bun" : `npx -y --allow-scripts=bun bun@${Bun.version}`;
    return `${bun} run start`;
  }

  function program(): string {
    // The variable of npm and Bun for the script of package.json that they run.
    if (env["npm_lifecycle_event"] === "start" && !isCompiled(script)) return runStart();
    if (has("mini-claude")) return "mini-claude";
    if (isCompiled(script)) {
      const runner = findRunner(executable);
      return runner ? `${runner} mini-claude` : quoteWhereNeeded(executable);
    }
    const checkout = dirname(dirname(realpathSync(script)));
    const inCheckout = cwd === checkout || cwd.startsWith(checkout + sep);
    if (!has("bun")) return runStart();
    return inCheckout ? "bunx mini-claude" : quoteWhereNeeded(script);
  }
}
