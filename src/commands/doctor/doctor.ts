/**
 * `mini-claude doctor`: checks what works on this machine, and says how to fix what does not. It
 * changes nothing and contacts no server.
 */

import { accessSync, constants, existsSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { engines, version } from "../../../package.json";
import type { Environment } from "../../base/environment.ts";
import { realHome } from "../../config/paths.ts";
import { findBash } from "../../base/find-bash.ts";
import { counted, errorMessage } from "../../base/format.ts";
import { chooseProvider, keySource, type ProviderSettings } from "../../config/credentials.ts";
import { anthropicUrl } from "../../protocol/model.ts";
import { settingSources } from "../../config/flags.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { readHooks } from "../../extensions/hooks/settings.ts";
import { openProject } from "../../trust/project/trust.ts";
import { type Check, ok, problem, warning } from "./check.ts";
import { checkNetwork } from "./network.ts";
import { confinerFor } from "../../trust/sandbox/sandbox.ts";
import { findRipgrep } from "../../tools/search/ripgrep.ts";

export const help = `mini-claude doctor   check what works on this machine, and how to fix what does not

Looks at the terminal, settings, hooks, the model and its key, programs, and sizes on disk.

Exit codes: 0 everything works, 1 something does not.
`;

/** Returns the exit code: 1 when something does not work. Shows no key. */
export async function run(
  args: readonly string[],
  { paths, env, cwd, out }: SubcommandIo,
): Promise<number> {
  parseOptions(args, {});
  const { settings, problems } = loadSettings({ env, file: paths.settings, flags: [] });
  const { project } = await openProject({ flags: { trust: false }, paths, env, cwd }, null);
  const flags = { sources: settingSources };
  const hooks = await readHooks({ flags, settings, paths, project });
  const ripgrep = findRipgrep();
  const checks = [
    checkTerminal(env),
    // Windows has no locales, and its terminals show everything.
    ...(process.platform === "win32" ? [] : [checkEncoding(env)]),
    ...(problems.length === 0 ? [ok("Settings", paths.settings)] : []),
    ...problems.map((fault) =>
      problem("Settings", fault, "correct or remove it; see mini-claude help settings"),
    ),
    ...(hooks.hooks.length === 0 ? [] : [ok("Hooks", counted(hooks.hooks.length, "command"))]),
    ...hooks.problems.map((fault) =>
      warning("Hooks", fault, "correct or remove it; see mini-claude help hooks"),
    ),
    checkModel(settings, env),
    ...checkNetwork(env),
    Bun.semver.satisfies(Bun.version, engines.bun)
      ? ok("Bun", Bun.version)
      : problem("Bun", `${Bun.version}, but ${engines.bun} is required`, "bun upgrade"),
    ripgrep === null
      ? warning("ripgrep", "missing; the model cannot use Grep and Glob", "run bun install again")
      : ok("ripgrep", ripgrep),
    checkBash(env),
    ...(process.platform === "linux"
      ? []
      : [
          warning(
            "System",
            "nobody has tried this system yet",
            "see mini-claude help troubleshooting",
          ),
        ]),
    checkProgram("git", env, "the model is not told about the repository"),
    await checkSandbox(env),
    await checkDataFolder(paths.root),
  ];
  out(`mini-claude ${version}, ${process.platform} ${process.arch}\n\n${layOut(checks)}`);
  return checks.some(({ state }) => state === "problem") ? 1 : 0;
}

/** The texts in one column, wrapped for the terminal. */
function layOut(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat(width + 11);
  const beside = (process.stdout.columns ?? 0) - indent.length;
  // Too narrow for a column of text, or no terminal: not wrapped here.
  const room = beside < 24 ? Infinity : beside;
  return checks
    .map(({ name, state, text, fix }) => {
      const lines = [text, ...(fix === undefined ? [] : [`Fix: ${fix}`])]
        .map((line) => line.replace(/\p{Cc}+/gu, " "))
        .flatMap((line) => (room < line.length ? Bun.wrapAnsi(line, room).split("\n") : [line]));
      return `${state.padEnd(7)}  ${name.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`;
    })
    .join("");
}

function checkTerminal(env: Environment): Check {
  const { isTTY, columns, rows } = process.stdout;
  return isTTY
    ? ok("Terminal", `${env["TERM"] ?? "TERM is not set"}, ${columns}x${rows}`)
    : warning(
        "Terminal",
        "output is not a terminal",
        "start it in a terminal for the screen; -p works without one",
      );
}

function checkEncoding(env: Environment): Check {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  if (/utf-?8/i.test(locale)) return ok("Encoding", `UTF-8 (${locale})`);
  const text = locale === "" ? "no locale is set" : `${locale} is not UTF-8`;
  return warning("Encoding", text, "set LANG, for example to C.UTF-8");
}

function checkModel(settings: Settings, env: Environment): Check {
  try {
    return checkChoice(chooseProvider(settings, env), settings, env);
  } catch (error) {
    return problem("Model", errorMessage(error), "correct that variable");
  }
}

/** The model that would answer. */
function checkChoice(choice: ProviderSettings, settings: Settings, env: Environment): Check {
  if (choice.provider === "offline")
    return warning(
      "Model",
      "only the built-in offline model: no key or server is configured",
      "set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or use /connect",
    );
  const { variable, isReady } = keySource(settings, env);
  const { origin, pathname } = new URL(
    ("baseUrl" in choice ? choice.baseUrl : null) ?? anthropicUrl,
  );
  // Without a password that the address may hold.
  const address = "region" in choice ? choice.region : `${origin}${pathname}`.replace(/\/$/, "");
  const text = `${settings.model} at ${address}, ${variable === null ? "without a key" : `key in ${variable}`}`;
  if (isReady) return ok("Model", text);
  const wanted = choice.provider === "openai" ? choice.keyName : "ANTHROPIC_API_KEY";
  return problem("Model", text, `set ${wanted}`);
}

function checkProgram(name: string, { PATH = "" }: Environment, without: string): Check {
  const found = Bun.which(name, { PATH });
  return found === null ? warning(name, `missing; ${without}`, `install ${name}`) : ok(name, found);
}

function checkBash(env: Environment): Check {
  if (process.platform !== "win32") return checkProgram("bash", env, "commands run in /bin/sh");
  const bash = findBash(env);
  return bash === null
    ? problem(
        "bash",
        "Git Bash is missing; no command can run",
        "install Git for Windows, or use WSL",
      )
    : ok("bash", bash);
}

async function checkSandbox(env: Environment): Promise<Check> {
  const name = "Sandbox";
  const found = await confinerFor([process.cwd()], realHome(env));
  return "program" in found
    ? ok(name, `commands are confined (${found.program})`)
    : warning(name, `${found.why}; commands ask, and there is no mode auto`, found.fix);
}

const minFreeBytes = 200e6;
const largeBytes = 2_000e6;

async function checkDataFolder(root: string): Promise<Check> {
  const name = "Data folder";
  let folder = root;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    const fix = "change its permissions, or set MINI_CLAUDE_HOME to another folder";
    return problem(name, `${folder} cannot be written`, fix);
  }
  const { bavail, bsize } = await statfs(folder);
  const used = await measureFolder(root);
  const text = `${root}, ${formatBytes(used)} used, ${formatBytes(bavail * bsize)} free`;
  if (bavail * bsize < minFreeBytes)
    return problem(name, text, "free some disk space; on a full disk nothing can be logged");
  return used > largeBytes
    ? warning(name, text, "mini-claude sessions prune --days 30 --all")
    : ok(name, text);
}

/** Bytes of the files below a folder. */
async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return infos.reduce((sum, info) => sum + (info?.isFile() ? info.size : 0), 0);
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1]}`;
}
