/** How the running program came to this machine, by its path. */

/** Whether a module is compiled into a program and not on the disk, by the path that Bun gives it. */
export const isCompiled = (module: string): boolean =>
  /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(module);

/** The command that fetched a program for one start, by where it keeps such programs; null: none did. */
export function findRunner(program: string): "npx" | "bunx" | "pnpm dlx" | null {
  const path = program.replaceAll("\\", "/");
  if (path.includes("/_npx/")) return "npx";
  if (/\/bunx-\d+-/.test(path)) return "bunx";
  return /\/pnpm\/dlx/.test(path) ? "pnpm dlx" : null;
}
