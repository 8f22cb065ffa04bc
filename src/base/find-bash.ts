import { existsSync } from "node:fs";
import { win32 } from "node:path";
import type { Environment } from "./environment.ts";

type BashMachine = {
  platform: NodeJS.Platform;
  which: typeof Bun.which;
  exists(path: string): boolean;
};

const thisMachine: BashMachine = {
  platform: process.platform,
  which: Bun.which,
  exists: existsSync,
};

/**
 * The bash in which commands and hooks run; null: there is none. On Windows it is Git's: the one that
 * Windows has starts Linux, which sees other paths and none of the user's programs.
 */
export function findBash(
  env: Environment,
  { platform, which, exists } = thisMachine,
): string | null {
  const PATH = env["PATH"] ?? "";
  if (platform !== "win32") return which("bash", { PATH });
  const git = which("git", { PATH });
  const folders = [
    ...(git === null ? [] : [win32.join(win32.dirname(git), "..")]),
    ...["ProgramFiles", "ProgramW6432"].flatMap((name) =>
      env[name] ? [win32.join(env[name], "Git")] : [],
    ),
    ...(env["LOCALAPPDATA"] ? [win32.join(env["LOCALAPPDATA"], "Programs\\Git")] : []),
  ];
  const ofGit = folders.map((folder) => win32.join(folder, "bin\\bash.exe")).find(exists);
  if (ofGit !== undefined) return ofGit;
  const other = which("bash", { PATH });
  return other === null || /\\(?:system32|windowsapps)\\/i.test(other) ? null : other;
}
