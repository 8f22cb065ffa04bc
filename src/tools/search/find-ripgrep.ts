import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { isCompiled } from "../../base/installed.ts";

const places = ["/usr/bin/rg", "/usr/local/bin/rg", "/opt/homebrew/bin/rg"];

/** The binary beside a compiled program, or that of our dependency, else the system's; null if there is none. */
export const findRipgrep = (): string | null =>
  [isCompiled(import.meta.path) ? besideProgram() : shipped(), ...places].find(
    (path) => path !== null && existsSync(path),
  ) ?? null;

const besideProgram = (): string =>
  join(dirname(process.execPath), process.platform === "win32" ? "rg.exe" : "rg");

const ripgrep = (): typeof import("@vscode/ripgrep") => require("@vscode/ripgrep");

const shipped = (): string | null => attempt(() => ripgrep().rgPath, null);
