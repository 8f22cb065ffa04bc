/** How the running program came to this machine, by its path. */

import { name } from "../../package.json";

/** Whether a module is compiled into a program and not on the disk, by the path that Bun gives it. */
export const isCompiled = (module: string): boolean =>
  /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(module);

/** The package that people install. On Windows that is the build, whose command needs no shell. */
export const packageOf = (program: string): string =>
  program.endsWith(".exe") ? `${name}-windows-x64` : name;

/** The command that fetched a program for one start, by where it keeps such programs; null: none did. */
export function findRunner(program: string): "npx" | "bunx" | "pnpm dlx" | null {
  const path = program.replaceAll("\\", "/");
  if (path.includes("/_npx/")) return "npx";
  if (/\/bunx-\d+-/.test(path)) return "bunx";
  return /\/pnpm\/dlx/.test(path) ? "pnpm dlx" : null;
}
