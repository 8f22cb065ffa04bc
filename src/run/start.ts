/** The start of a run: settings, the debug log, whether the folder is trusted. */

import type { Flags } from "../config/flags.ts";
import { type Paths, pathsFor } from "../config/paths.ts";
import { loadSettings } from "../config/settings.ts";
import { type AskTrust, openProject } from "../trust/project/trust.ts";
import type { Project } from "../trust/project/project.ts";
import type { Environment } from "../base/environment.ts";
import { certificateVariables } from "../base/connection-faults.ts";
import { proxyVariables } from "../tools/web/address.ts";
import { join, resolve } from "node:path";
import { version } from "../../package.json";
import type { DebugLog } from "./debug-log.ts";

type LoadedStart = Awaited<ReturnType<typeof loadStart>>;

/** The engine reads them once, before any settings. */
const networkVariables = [
  ...proxyVariables,
  ...proxyVariables.map((name) => name.toLowerCase()),
  ...certificateVariables,
];

/** Everything the command line, the environment and the settings file decide about a run. */
export type StartOptions = LoadedStart & {
  project: Project;
  /** Files of a folder that is not trusted, by name, which are not used. */
  unused: readonly string[];
};

/** Throws `UsageError` for a flag that is not valid. */
export async function loadStart(flags: Flags, given: Environment, cwd: string) {
  const paths = pathsFor(given, cwd);
  const load = (env: Environment) =>
    loadSettings({
      env,
      file: flags.sources.includes("user") ? paths.settings : null,
      foreign: paths.foreignSettings,
      extra: flags.extraSettings,
      flags: flags.settings,
    });
  const first = load(given);
  const { env: added } = first.settings;
  const env = { ...given, ...added };
  // Variables of the settings may set settings themselves.
  const loaded = Object.keys(added).length === 0 ? first : load(env);
  const { settings, sources, problems, consent } = loaded;
  const debugLog = await openDebugLog(flags, env, paths, cwd);
  const ignored = flags.ignored.map((name) => `--${name} has no effect here.`);
  const late = networkVariables.filter((name) => (added[name] ?? given[name]) !== given[name]);
  if (late.length > 0)
    ignored.push(
      `${late.join(" and ")} in \`env\` of the settings: holds for commands only. Set it before mini-claude starts.`,
    );
  return {
    flags: { ...flags, trust: flags.trust || consent.trust },
    settings,
    /** Consent to project files and servers, given with `--settings`. */
    consent,
    /** Where each setting that is not a default came from. */
    sources,
    paths,
    env,
    cwd,
    /** Reports at the start, one sentence each: errors in the settings, the debug log. */
    notices: [...ignored, ...problems, ...(debugLog ? [`Debug log: ${debugLog.file}`] : [])],
    debugLog,
    /** The model that this start asks for; a resumed session keeps its own when there is none. */
    requestedModel: sources.get("model") === "--model" ? settings.model : undefined,
  };
}

/** `ask`: the trust question; null: not asked. Returns an exit code if the user left. */
export async function withProject<Left extends number = never>(
  start: LoadedStart,
  ask: AskTrust<Left>,
): Promise<StartOptions | Left> {
  const opened = await openProject(start, ask);
  if (typeof opened === "number") return opened;
  const { project, unused, notices } = opened;
  return { ...start, project, unused, notices: [...start.notices, ...notices] };
}

/** The debug log that `--debug` or `MINI_CLAUDE_DEBUG` asks for. Throws when it cannot be opened. */
async function openDebugLog(
  flags: Pick<Flags, "debug" | "debugFile">,
  env: Environment,
  paths: Paths,
  cwd: string,
): Promise<DebugLog | undefined> {
  const isOff = /^(|0|false|no|off)$/i.test(env["MINI_CLAUDE_DEBUG"] ?? "");
  if (!flags.debug && isOff) return undefined;
  const name = `${new Date().toISOString().replace(/[:.]/g, "")}-${process.pid}.log`;
  const file = resolve(cwd, flags.debugFile ?? join(paths.root, "debug", name));
  const { createDebugLog } = await import("./debug-log.ts");
  const debugLog = createDebugLog(file, env);
  const { platform, arch } = process;
  debugLog.write(
    "start",
    `mini-claude ${version}, Bun ${Bun.version}, ${platform} ${arch}, ${cwd}`,
  );
  return debugLog;
}
