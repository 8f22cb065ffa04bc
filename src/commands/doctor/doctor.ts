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

/** Returns the exit code: 1 when something does not work. */
export async function run(args: readonly string[], io: SubcommandIo): Promise<number> {
  const { paths, env, cwd } = io;
  parseOptions(args, {});
  const { settings, problems } = loadSettings({ env, file: paths.settings, flags: [] });
  const { project } = await openProject({ flags: { trust: false }, paths, env, cwd }, null);
  const flags = { sources: settingSources };
  const hooks = await readHooks({ flags, settings, paths, project });
  const { isTTY, columns = 0, rows = 0 } = process.stdout;
  const machine: Machine = {
    env,
    terminal: isTTY ? { columns, rows } : null,
    bun: Bun.version,
    ripgrep: findRipgrep(),
    provider: describeProvider(settings, env),
    root: paths.root,
    settings: { file: paths.settings, problems },
    hooks: { count: hooks.hooks.length, problems: hooks.problems },
  };
  return runDoctor(machine, io.out);
}

function describeProvider(settings: Settings, env: Environment): Machine["provider"] {
  try {
    const choice = chooseProvider(settings, env);
    if (choice.provider === "offline") return { name: "offline" };
    const { origin, pathname } = new URL(
      ("baseUrl" in choice ? choice.baseUrl : null) ?? "https://api.anthropic.com",
    );
    return {
      name: choice.provider,
      model: settings.model,
      // Without a password that the address may hold.
      address: "region" in choice ? choice.region : `${origin}${pathname}`.replace(/\/$/, ""),
      keyVariable: keySource(settings, env).variable,
    };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

export type Machine = {
  env: Environment;
  /** Null: the output is not a terminal. */
  terminal: { columns: number; rows: number } | null;
  /** The version of the Bun that runs this. */
  bun: string;
  /** The ripgrep that searches use; null: there is none. */
  ripgrep: string | null;
  /** How the provider is set up, or why it cannot be. */
  provider:
    | { name: "offline" }
    | {
        name: Exclude<ProviderSettings["provider"], "offline">;
        model: string;
        address: string;
        keyVariable: string | null;
      }
    | { error: string };
  /** The folder of sessions and everything else that is kept. */
  root: string;
  settings: { file: string; problems: readonly string[] };
  hooks: { count: number; problems: readonly string[] };
};

/** Returns 1 when there is a problem, else 0. Shows no key. */
export async function runDoctor(machine: Machine, out: (text: string) => void): Promise<number> {
  const { env, terminal, settings, hooks, ripgrep } = machine;
  const checks = [
    checkTerminal(env, terminal),
    // Windows has no locales, and its terminals show everything.
    ...(process.platform === "win32" ? [] : [checkEncoding(env)]),
    ...(settings.problems.length === 0 ? [ok("Settings", settings.file)] : []),
    ...settings.problems.map((fault) =>
      problem("Settings", fault, "correct or remove it; see mini-claude help settings"),
    ),
    ...(hooks.count === 0 ? [] : [ok("Hooks", counted(hooks.count, "command"))]),
    ...hooks.problems.map((fault) =>
      warning("Hooks", fault, "correct or remove it; see mini-claude help hooks"),
    ),
    checkModel(machine.provider),
    ...checkNetwork(env),
    Bun.semver.satisfies(machine.bun, engines.bun)
      ? ok("Bun", machine.bun)
      : problem("Bun", `${machine.bun}, but ${engines.bun} is required`, "bun upgrade"),
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
    await checkSandbox(machine.env),
    await checkDataFolder(machine.root),
  ];
  out(`mini-claude ${version}, ${process.platform} ${process.arch}\n\n`);
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat(width + 11);
  const beside = (terminal?.columns ?? 0) - indent.length;
  // Too narrow for a column of text: the terminal wraps.
  const room = beside < 24 ? Infinity : beside;
  for (const { name, state, text, fix } of checks) {
    const lines = [text, ...(fix === undefined ? [] : [`Fix: ${fix}`])]
      .map((line) => line.replace(/\p{Cc}+/gu, " "))
      .flatMap((line) => (room < line.length ? Bun.wrapAnsi(line, room).split("\n") : [line]));
    out(`${state.padEnd(7)}  ${name.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`);
  }
  return checks.some(({ state }) => state === "problem") ? 1 : 0;
}

const checkTerminal = (env: Environment, terminal: Machine["terminal"]): Check =>
  terminal
    ? ok("Terminal", `${env["TERM"] ?? "TERM is not set"}, ${terminal.columns}x${terminal.rows}`)
    : warning(
        "Terminal",
        "output is not a terminal",
        "start it in a terminal for the screen; -p works without one",
      );

function checkEncoding(env: Environment): Check {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  if (/utf-?8/i.test(locale)) return ok("Encoding", `UTF-8 (${locale})`);
  const text = locale === "" ? "no locale is set" : `${locale} is not UTF-8`;
  return warning("Encoding", text, "set LANG, for example to C.UTF-8");
}

/** The model that would answer. */
function checkModel(provider: Machine["provider"]): Check {
  if ("error" in provider) return problem("Model", provider.error, "correct that variable");
  if (provider.name === "offline")
    return warning(
      "Model",
      "only the built-in offline model: no key or server is configured",
      "set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or use /connect",
    );
  const { model, address, keyVariable } = provider;
  const text = `${model} at ${address}, ${keyVariable === null ? "without a key" : `key in ${keyVariable}`}`;
  if (keyVariable !== null || !address.startsWith("https:")) return ok("Model", text);
  const variable = provider.name === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  return problem("Model", text, `set ${variable}`);
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
