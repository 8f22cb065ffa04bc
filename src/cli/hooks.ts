/** The hooks of a session: those of the agent itself, and those of settings, read when first needed. */

import type { Flags } from "../config/flags.ts";
import type { EndReason, HookEvent } from "../hooks/events.ts";
import type { SettingSource } from "../config/source-flags.ts";
import type { HookSettings } from "../hooks/settings.ts";
import { HookRegistry } from "../hooks/registry.ts";
import { claudeModes } from "../protocol/permission.ts";
import type { Toolbox } from "../tools/tool.ts";
import type { LogStore } from "../log/store.ts";
import type { RunOptions } from "./run-types.ts";
import type { StartOptions } from "./start-options.ts";

type Sources = Pick<StartOptions, "settings" | "paths" | "project"> & {
  flags: Pick<Flags, "sources">;
};

export function hooksFor(
  options: Sources &
    Pick<StartOptions, "cwd"> &
    Pick<RunOptions, "startedBy"> & { log: Pick<LogStore, "session" | "file"> },
  env: Record<string, string>,
  toolbox: Pick<Toolbox, "mode">,
): HookRegistry {
  const { log, cwd } = options;
  return new HookRegistry({
    base: () => ({
      session_id: log.session,
      transcript_path: log.file,
      cwd,
      permission_mode: claudeModes[toolbox.mode],
    }),
    load: async () => {
      const { hooks } = await readHooks(options);
      return options.startedBy ? hooks.filter(({ event }) => isForSubagents(event)) : hooks;
    },
    env,
  });
}

/** A subagent's tool calls are like any others; its session and its turns are not the user's. */
export const isForSubagents = (event: HookEvent): boolean => /Tool|Permission|Compact/.test(event);

/** The hooks of all settings files, and what in them cannot be used. */
export async function readHooks({ flags, settings, paths, project }: Sources) {
  if (settings.disableAllHooks) return { hooks: [], problems: [] };
  const { findHooks, projectSettings } = await import("../project/hook-settings.ts");
  const found: HookSettings[] = await findHooks({
    own: { hooks: settings.hooks, file: paths.settings },
    foreign: flags.sources.includes("user") ? paths.foreignSettings : [],
    ...project,
    projectFiles: project.isTrusted
      ? projectSettings.filter((name) => flags.sources.includes(sourceOf(name)))
      : [],
  });
  if (found.length === 0) return { hooks: [], problems: [] };
  const { parseHooks } = await import("../hooks/settings.ts");
  const parsed = found.map(parseHooks);
  return {
    hooks: parsed.flatMap(({ hooks }) => hooks),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

const sourceOf = (file: string): SettingSource => (file.includes("local") ? "local" : "project");

/** Longest time that quitting waits for SessionEnd hooks, in milliseconds. */
const endMs = 2_000;

export async function endSession(hooks: HookRegistry, reason: EndReason): Promise<void> {
  const run = { signal: AbortSignal.timeout(endMs), emit: () => undefined };
  await hooks.run("SessionEnd", { reason }, run);
}
