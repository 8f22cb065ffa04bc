/** Checks of the machine: its terminal, programs and disk. */

import { bubblewrapPlaces } from "../../tools/sandbox/confiner.ts";
import { accessSync, constants, existsSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import type { Paths } from "../../config/paths.ts";

/** The outcome of one check. `fix` says what to do when it is not ok. */
export type Check = {
  name: string;
  state: "ok" | "warning" | "problem";
  text: string;
  fix?: string;
};

export const ok = (name: string, text: string): Check => ({ name, state: "ok", text });

export const warning = (name: string, text: string, fix: string): Check => {
  return { name, state: "warning", text, fix };
};

export const problem = (name: string, text: string, fix: string): Check => {
  return { name, state: "problem", text, fix };
};

export type Terminal = {
  env: Environment;
  isTerminal: boolean;
  columns: number;
  rows: number;
};

/** Checks what the screen needs from the terminal. */
export function checkTerminal(terminal: Terminal): Check[] {
  return [size(terminal), colors(terminal), encoding(terminal), clipboard(terminal)];
}

/** The smallest size that fits the meter and a prompt. */
const minColumns = 20;
const minRows = 5;
const comfortableColumns = 60;

function size({ env, isTerminal, columns, rows }: Terminal): Check {
  const name = "Terminal";
  if (!isTerminal)
    return warning(
      name,
      "output is not a terminal",
      "start it in a terminal for the screen; -p works without one",
    );
  const text = `${env["TERM"] ?? "TERM is not set"}, ${columns}x${rows}`;
  if (columns < minColumns || rows < minRows)
    return problem(name, text, `enlarge it to ${minColumns}x${minRows} or more`);
  if (columns < comfortableColumns)
    return warning(name, text, `${comfortableColumns} columns show more`);
  return ok(name, text);
}

function colors({ env }: Terminal): Check {
  const name = "Colors";
  const { TERM = "", COLORTERM = "" } = env;
  if (env["NO_COLOR"]) return ok(name, "off, because NO_COLOR is set");
  if (TERM === "" || TERM === "dumb")
    return warning(name, "none", "set TERM, for example to xterm-256color");
  if (/truecolor|24bit/i.test(COLORTERM)) return ok(name, "16 million");
  return ok(name, /256/.test(TERM) ? "256" : "16");
}

function encoding({ env }: Terminal): Check {
  const name = "Encoding";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  if (/utf-?8/i.test(locale)) return ok(name, `UTF-8 (${locale})`);
  const text = locale === "" ? "no locale is set" : `${locale} is not UTF-8`;
  return warning(name, text, "set LANG, for example to C.UTF-8");
}

const clipboardTools = ["pbcopy", "wl-copy", "xclip", "xsel"];

function clipboard({ env }: Terminal): Check {
  const name = "Clipboard";
  const { PATH = "", TMUX } = env;
  const tools = clipboardTools.filter((tool) => Bun.which(tool, { PATH }));
  const found = tools.length === 0 ? "" : `; also found: ${tools.join(", ")}`;
  if (!TMUX) return ok(name, `through the terminal (OSC 52)${found}`);
  return warning(
    name,
    `through tmux, which must allow it${found}`,
    "put `set -g set-clipboard on` into ~/.tmux.conf",
  );
}

export type Programs = {
  env: Environment;
  /** The Bun that runs this, and the range that the package asks for. */
  bun: { version: string; required: string };
  /** The ripgrep that searches use; null: there is none. */
  ripgrep: string | null;
  /** Language servers that report errors after an edit. */
  languageServers: readonly { language: string; path: string }[];
};

/** Checks the programs that the tools need. */
export function checkPrograms({ env, bun, ripgrep, languageServers }: Programs): Check[] {
  const { PATH = "" } = env;
  return [
    checkBun(bun),
    ripgrep === null
      ? warning(
          "ripgrep",
          "missing; the model cannot use Grep",
          "run bun install again in the checkout",
        )
      : ok("ripgrep", ripgrep),
    program("bash", PATH, "commands run in /bin/sh", "install bash"),
    program("git", PATH, "the model is not told about the repository", "install git"),
    checkSandbox(),
    checkLanguageServers(languageServers),
  ];
}

function checkLanguageServers(found: Programs["languageServers"]): Check {
  const list = found.map(({ language, path }) => `${language} (${path})`).join(", ");
  return ok("Language servers", list || "none; errors after an edit are not reported");
}

function checkBun({ version, required }: Programs["bun"]): Check {
  if (Bun.semver.satisfies(version, required)) return ok("Bun", version);
  return problem("Bun", `${version}, but ${required} is required`, "bun upgrade");
}

function program(name: string, PATH: string, without: string, fix: string): Check {
  const found = Bun.which(name, { PATH });
  return found === null ? warning(name, `missing; ${without}`, fix) : ok(name, found);
}

/** Installed is not enough: many containers forbid the namespaces that bubblewrap needs. */
function checkSandbox(): Check {
  const name = "Sandbox";
  if (process.platform === "darwin")
    return ok(name, "Seatbelt, if it passes a trial when commands run");
  if (process.platform !== "linux") return ok(name, "none on this system; permissions apply");
  const bwrap = bubblewrapPlaces.find((path) => existsSync(path));
  if (bwrap === undefined)
    return warning(name, "bubblewrap is not installed; permissions apply", "install bubblewrap");
  const tried = Bun.spawnSync([bwrap, "--ro-bind", "/", "/", "--unshare-all", "true"], {
    env: { PATH: "/usr/bin:/bin" },
    stderr: "pipe",
    timeout: 5_000,
  });
  if (tried.exitCode === 0) return ok(name, `bubblewrap works (${bwrap})`);
  const reason = tried.stderr.toString().trim().split("\n")[0] || "it timed out";
  return warning(
    name,
    `bubblewrap cannot start: ${reason}`,
    "allow unprivileged user namespaces (kernel.unprivileged_userns_clone, or the container's settings)",
  );
}

export type Storage = Pick<Paths, "root" | "sessions" | "toolResults" | "checkpoints">;

const MB = 1_000_000;
const minFreeBytes = 200 * MB;
const largeBytes = 2_000 * MB;

/** Checks what is kept on disk, how large it is, and whether there is room for more. */
export async function checkStorage(storage: Storage): Promise<Check[]> {
  const { sessions, toolResults, checkpoints } = storage;
  const sizes = await Promise.all([sessions, toolResults, checkpoints].map(sizeOf));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [logs, results, contents] = sizes.map(({ files, bytes }) => `${files} (${show(bytes)})`);
  const text = `session files ${logs}, results ${results}, checkpoints ${contents}`;
  return [
    await checkHome(storage.root),
    total > largeBytes
      ? warning("Kept", text, "mini-claude sessions prune --days 30 --all")
      : ok("Kept", text),
  ];
}

async function checkHome(root: string): Promise<Check> {
  const name = "Data folder";
  let folder = root;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return problem(
      name,
      `${folder} cannot be written`,
      "change its permissions, or set MINI_CLAUDE_HOME to another folder",
    );
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${root}, ${show(free)} free`;
  return free < minFreeBytes
    ? problem(name, text, "free some disk space; on a full disk nothing can be logged")
    : ok(name, text);
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  const files = infos.filter((info) => info?.isFile());
  return { files: files.length, bytes: files.reduce((sum, info) => sum + (info?.size ?? 0), 0) };
}

function show(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1]}`;
}
