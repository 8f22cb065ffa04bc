/** How the running program came to this machine, and the command that starts it again. */

import { realpathSync } from "node:fs";
import { delimiter, dirname, sep } from "node:path";
import { name } from "../../package.json";
import type { Environment } from "./environment.ts";
import { quoteWhereNeeded } from "./shell-quote.ts";

/** Whether a module is compiled into a program and not on the disk, by the path that Bun gives it. */
export const isCompiled = (module: string): boolean =>
  /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(module);

/** The command that fetched a program for one start, by where it keeps such programs; null: none did. */
function findRunner(program: string): "npx" | "bunx" | "pnpm dlx" | null {
  const path = program.replaceAll("\\", "/");
  if (path.includes("/_npx/")) return "npx";
  if (/\/bunx-\d+-/.test(path)) return "bunx";
  return /\/pnpm\/dlx/.test(path) ? "pnpm dlx" : null;
}

/** How a program came to this machine, by its path. */
type Installation =
  /** Installed for all folders. */
  | { kind: "global"; view: string[]; install: string[]; start?: string[] }
  /** Fetched for each start by a program that takes a version. */
  | { kind: "fetched"; command: string }
  /** A checkout: runs from source with any installed Bun. */
  | { kind: "checkout" }
  /** A dependency of a project, or a downloaded file. */
  | { kind: "other" };

/** Judges by where package managers put the build of a system, or its bundle. */
export function findInstallation(program: string): Installation {
  const path = program.replaceAll("\\", "/");
  const latest = `${name}@latest`;
  const runner = findRunner(path);
  if (runner) return { kind: "fetched", command: `${runner} ${latest}` };
  if (path.includes("/install/global/node_modules/"))
    return {
      kind: "global",
      view: ["bun", "pm", "view", name, "version"],
      // Its cache may not know of a version of the last minutes.
      install: ["bun", "add", "--global", "--no-cache", latest],
      // Where there is no Node, its command works only after Bun has started it once.
      start: ["bun", "x", name, "--version"],
    };
  if (/\/pnpm\/.*global\//.test(path))
    return {
      kind: "global",
      view: ["pnpm", "view", name, "version"],
      install: ["pnpm", "add", "--global", latest],
    };
  const ofNpm = new RegExp(`^(.*?)(?:/lib|/npm)/node_modules/${name}/`);
  const prefix = ofNpm.exec(path)?.[1];
  if (prefix === undefined)
    return { kind: /(?<!node_modules\/.*)\.ts$/.test(path) ? "checkout" : "other" };
  const isWindows = path.includes("/npm/node_modules/");
  const place = isWindows ? [] : [`--prefix=${prefix}`];
  return {
    kind: "global",
    view: ["npm", "view", name, "version"],
    install: ["npm", "install", "--global", ...place, latest],
  };
}

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
