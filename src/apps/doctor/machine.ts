/** `mini-claude doctor`: collects what the other modules know about this machine. */

import { engines, version } from "../../../package.json";
import { chooseProvider, keySource } from "../../config/credentials.ts";
import type { Paths } from "../../config/paths.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { settingSources } from "../../config/flags.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { findServer, languages } from "../../diagnostics/languages.ts";
import { detectLocalServers } from "../../model/detect.ts";
import { readHooks } from "../../project/hook-settings.ts";
import { openProject } from "../../project/open-project.ts";
import type { Environment } from "../../protocol/environment.ts";
import { messageOf } from "../../protocol/in-words.ts";
import { findRipgrep } from "../../tools/search/ripgrep.ts";
import type { Machine } from "./doctor.ts";

export const help = `mini-claude doctor   check what works on this machine, and how to fix what does not

Looks at the terminal, settings, hooks, the model and its key, programs, and sizes on disk.

Exit codes: 0 everything works, 1 something does not.
`;

/** Returns the exit code: 1 when something does not work. */
export async function run(
  args: readonly string[],
  { paths, env, cwd, out }: SubcommandIo,
): Promise<number> {
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
    hooks: await checkHooks(settings, paths, env, cwd),
  };
  const { runDoctor } = await import("./doctor.ts");
  return runDoctor(machine, out);
}

async function findLanguageServers({ PATH = "" }: Environment, cwd: string) {
  const found = languages.map(async (language) => {
    const server = await findServer(language, { PATH, folders: [cwd] });
    return server ? [{ language: language.name, path: server.path }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function checkHooks(settings: Settings, paths: Paths, env: Environment, cwd: string) {
  const opened = await openProject({ flags: { trust: false }, paths, env, cwd }, null);
  if (typeof opened === "number") return { count: 0, problems: [] };
  const { project } = opened;
  const { hooks, problems } = await readHooks({
    flags: { sources: settingSources },
    settings,
    paths,
    project,
  });
  return { count: hooks.length, problems };
}

function describeProvider(settings: Settings, env: Environment): Machine["provider"] {
  try {
    const choice = chooseProvider(settings, env);
    if (choice.provider === "offline") return { name: "offline" };
    return {
      name: choice.provider,
      model: settings.model,
      address: withoutPassword(choice.baseUrl ?? "https://api.anthropic.com"),
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
