/** What a run starts from: settings, the debug log, whether the folder is trusted. */

import type { Flags } from "../config/flags.ts";
import { pathsFor } from "../config/paths.ts";
import { loadSettings } from "../config/settings.ts";
import { openProject, type AskTrust } from "./open-project.ts";
import { openTracer } from "./open-tracer.ts";
import type { StartOptions } from "./start-options.ts";

type Environment = Record<string, string | undefined>;

export type Start = Omit<StartOptions, "project">;

/** Throws `UsageError` for a flag that is not valid. */
export async function loadStart(flags: Flags, env: Environment, cwd: string): Promise<Start> {
  const paths = pathsFor(env, cwd);
  const { settings, sources, problems } = loadSettings({
    env,
    file: flags.sources.includes("user") ? paths.settings : null,
    ...(flags.extraSettings === undefined ? {} : { extra: flags.extraSettings }),
    flags: flags.settings,
  });
  const tracer = await openTracer(flags, env, paths, cwd);
  const ignored = flags.ignored.map((name) => `--${name} has no effect here.`);
  return {
    flags,
    settings,
    sources,
    paths,
    env,
    cwd,
    notices: [...ignored, ...problems, ...(tracer ? [`Debug log: ${tracer.file}`] : [])],
    ...(tracer ? { tracer } : {}),
    ...(sources.get("model") === "--model" ? { requestedModel: settings.model } : {}),
  };
}

/** `ask`: asks the user about the folder; null: nobody is asked. Returns the exit code of a user who left. */
export async function withProject(start: Start, ask: AskTrust): Promise<StartOptions | number> {
  const opened = await openProject(start, ask);
  if (typeof opened === "number") return opened;
  return { ...start, project: opened.project, notices: [...start.notices, ...opened.notices] };
}
