/** `mini-claude doctor`: collects what the other modules know about this machine. */

import { engines, version } from "../../../package.json";
import type { Machine } from "../../apps/doctor/doctor.ts";
import { chooseProvider } from "../../config/credentials.ts";
import type { Paths } from "../../config/paths.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { settingSources } from "../../config/source-flags.ts";
import { detectLocalServers } from "../../model/detect.ts";
import { findRipgrep } from "../../tools/search/ripgrep.ts";
import { readHooks } from "../hooks.ts";
import { openProject } from "../open-project.ts";

type Environment = Record<string, string | undefined>;

/** Returns the exit code: 1 when something does not work. */
export async function doctor(
  paths: Paths,
  env: Environment,
  cwd: string,
  out: (text: string) => void,
): Promise<number> {
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
    provider: describeProvider(settings, env),
    servers: await detectLocalServers(),
    storage: paths,
    settingsFile: paths.settings,
    settingsProblems: problems,
    hooks: await checkHooks(settings, paths, env, cwd),
  };
  const { runDoctor } = await import("../../apps/doctor/doctor.ts");
  return runDoctor(machine, out);
}

async function checkHooks(settings: Settings, paths: Paths, env: Environment, cwd: string) {
  const opened = await openProject({ flags: { trust: false }, paths, env, cwd }, null);
  if (typeof opened === "number") return { count: 0, problems: [] };
  const flags = { sources: settingSources };
  const { hooks, problems } = await readHooks({ flags, settings, paths, project: opened.project });
  return { count: hooks.length, problems };
}

function describeProvider(settings: Settings, env: Environment): Machine["provider"] {
  try {
    const choice = chooseProvider(settings, env);
    if (choice.provider === "offline") return { name: "offline" };
    const names =
      choice.provider === "openai"
        ? ["OPENAI_API_KEY"]
        : ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
    return {
      name: choice.provider,
      model: settings.model,
      address: withoutPassword(choice.baseUrl ?? "https://api.anthropic.com"),
      keyIn: names.find((name) => env[name]?.trim()) ?? null,
    };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`.replace(/\/$/, "");
}
