import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { isCompiled } from "../../base/installed.ts";

const places = ["/usr/bin/rg", "/usr/local/bin/rg", "/opt/homebrew/bin/rg"];

/** The binary beside the compiled program, of the npm package, or of the system; null: none. */
export const findRipgrep = (): string | null =>
  [isCompiled(import.meta.path) ? besideProgram() : shipped(), ...places].find(
    (path) => path !== null && existsSync(path),
  ) ?? null;

const besideProgram = (): string =>
  join(dirname(process.execPath), process.platform === "win32" ? "rg.exe" : "rg");

const ripgrep = (): typeof import("@vscode/ripgrep") => require("@vscode/ripgrep");

const shipped = (): string | null => attempt(() => ripgrep().rgPath, null);
