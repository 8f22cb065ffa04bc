/**
 * `mini-claude doctor`: checks what works on this machine, and says how to fix what does not. It
 * changes nothing and contacts no server outside this machine.
 */

import { engines, version } from "../../../package.json";
import { chooseProvider, keySource, type ProviderSettings } from "../../config/credentials.ts";
import { settingSources } from "../../config/flags.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { findServer, languages } from "../../extensions/diagnostics/languages.ts";
import { detectLocalServers } from "../../model/network.ts";
import { readHooks } from "../../extensions/hooks/settings.ts";
import { openProject } from "../../extensions/trust.ts";
import type { Environment } from "../../base/environment.ts";
import { counted, messageOf } from "../../base/in-words.ts";
import { findRipgrep } from "../../tools/search/ripgrep.ts";
import {
  checkPrograms,
  checkStorage,
  checkTerminal,
  ok,
  problem,
  warning,
  type Check,
  type Programs,
  type Storage,
  type Terminal,
} from "./machine.ts";

export const help = `mini-claude doctor   check what works on this machine, and how to fix what does not

Looks at the terminal, settings, hooks, the model and its key, programs, and sizes on disk.

Exit codes: 0 everything works, 1 something does not.
`;

/** Returns the exit code: 1 when something does not work. */
export async function run(args: readonly string[], io: SubcommandIo): Promise<number> {
  const { paths, env, cwd, out } = io;
  parseOptions(args, {});
  const { settings, problems } = loadSettings({ env, file: paths.settings, flags: [] });
  const { isTTY, columns = 0, rows = 0 } = process.stdout;
  const machine: Machine = {
    version,
    env,
    isTerminal: isTTY,
    columns,
    rows,
    bun: { version: Bun.version, required: engines.bun },
    ripgrep: findRipgrep(),
    languageServers: await findLanguageServers(env, cwd),
    provider: describeProvider(settings, env),
    servers: await detectLocalServers(),
    storage: paths,
    settingsFile: paths.settings,
    settingsProblems: problems,
    hooks: await findHooks(settings, io),
  };
  return runDoctor(machine, out);
}

async function findLanguageServers({ PATH = "" }: Environment, cwd: string) {
  const found = languages.map(async (language) => {
    const server = await findServer(language, { PATH, folders: [cwd] });
    return server ? [{ language: language.name, path: server.path }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function findHooks(settings: Settings, { paths, env, cwd }: SubcommandIo) {
  const { project } = await openProject({ flags: { trust: false }, paths, env, cwd }, null);
  const flags = { sources: settingSources };
  const { hooks, problems } = await readHooks({ flags, settings, paths, project });
  return { count: hooks.length, problems };
}

function describeProvider(settings: Settings, env: Environment): Machine["provider"] {
  try {
    const choice = chooseProvider(settings, env);
    if (choice.provider === "offline") return { name: "offline" };
    return {
      name: choice.provider,
      model: settings.model,
      address:
        "region" in choice
          ? choice.region
          : withoutPassword(choice.baseUrl ?? "https://api.anthropic.com"),
      keyIn: keySource(settings, env).variable,
    };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`.replace(/\/$/, "");
}

export type Machine = Terminal &
  Programs & {
    version: string;
    /** How the provider is set up, or why it cannot be. */
    provider:
      | { name: "offline" }
      | {
          name: Exclude<ProviderSettings["provider"], "offline">;
          model: string;
          address: string;
          keyIn: string | null;
        }
      | { error: string };
    /** Model servers that run on this machine. */
    servers: readonly { name: string; baseUrl: string; models: readonly string[] }[];
    storage: Storage;
    settingsFile: string;
    /** What is wrong in the settings, one sentence each. */
    settingsProblems: readonly string[];
    /** Hooks that will run, and what in their settings cannot be used. */
    hooks: { count: number; problems: readonly string[] };
  };

/** Returns 1 when there is a problem, else 0. Shows no key, and contacts no server outside this machine. */
export async function runDoctor(machine: Machine, out: (text: string) => void): Promise<number> {
  const checks = [
    ...checkTerminal(machine),
    ...checkSettings(machine),
    ...checkHooks(machine),
    checkProvider(machine.provider),
    checkServers(machine.servers),
    ...checkPrograms(machine),
    ...(await checkStorage(machine.storage)),
  ];
  out(`mini-claude ${machine.version}, ${process.platform} ${process.arch}\n\n`);
  out(formatChecks(checks));
  return checks.some(({ state }) => state === "problem") ? 1 : 0;
}

/** One line per check, with its fix below. Plain words, for screen readers and scripts. */
function formatChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, text, fix }) => [
      `${state.padEnd(7)}  ${name.padEnd(width)}  ${text}`,
      ...(fix === undefined ? [] : [`${" ".repeat(width + 11)}Fix: ${fix}`]),
    ])
    .map((line) => `${line.replace(/\p{Cc}+/gu, " ")}\n`)
    .join("");
}

function checkHooks({ hooks: { count, problems } }: Machine): Check[] {
  const unused = problems.map((text) =>
    warning("Hooks", text, "correct or remove it; see README, Hooks"),
  );
  return count === 0 ? unused : [ok("Hooks", counted(count, "command")), ...unused];
}

function checkSettings({ settingsFile, settingsProblems }: Machine): Check[] {
  if (settingsProblems.length === 0) return [ok("Settings", settingsFile)];
  return settingsProblems.map((text) =>
    problem("Settings", text, "correct or remove it; see README, Settings"),
  );
}

/** The model that would answer. */
function checkProvider(provider: Machine["provider"]): Check {
  const name = "Model";
  if ("error" in provider) return problem(name, provider.error, "correct that variable");
  if (provider.name === "offline")
    return warning(
      name,
      "only the built-in offline model: no key or server is configured",
      "set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or use /connect",
    );
  const { model, address, keyIn } = provider;
  const text = `${model} at ${address}, ${keyIn === null ? "without a key" : `key in ${keyIn}`}`;
  const isRemote = address.startsWith("https:");
  if (keyIn !== null || !isRemote) return ok(name, text);
  const variable = provider.name === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  return problem(name, text, `set ${variable}`);
}

function checkServers(servers: Machine["servers"]): Check {
  const found = servers.map(
    ({ name, baseUrl, models }) => `${name} ${baseUrl} (${models.join(", ")})`,
  );
  return ok("Local servers", found.join("; ") || "none running");
}
