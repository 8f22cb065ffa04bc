/** The status line of one's own: a command that gets the meter as JSON, and prints a line or a few. */

import { join } from "node:path";
import type { Flags } from "../config/flags.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { foldersBetween, holds } from "../tools/workspace.ts";
import { runCommand } from "./hooks/command-hook.ts";
import { findSource, readSettings } from "./hooks/settings.ts";
import { projectSettings } from "../trust/rules/project-rules.ts";
import type { Project } from "../trust/project/project.ts";
import { hashOf } from "../trust/project/project.ts";
import type { Launcher } from "../tools/shell/launch.ts";

type StatusLineOptions = {
  flags: Pick<Flags, "sources">;
  settings: Settings;
  paths: Pick<Paths, "settings" | "foreignSettings">;
  project: Project;
};

/** Identifies a project's command. */
export const hashStatusLine = (command: string): string => hashOf("statusLine", command);

type StatusLine = { command: string; isProject: boolean };

/**
 * The command of the user's settings, or of the project's where the user approved it, or of another
 * agent's settings; null: there is none.
 */
export async function findStatusLine({
  flags,
  settings,
  paths,
  project,
}: StatusLineOptions): Promise<StatusLine | null> {
  if (settings.disableAllHooks) return null;
  if (settings.statusLine) return { command: settings.statusLine.command, isProject: false };
  const { root, folder, isTrusted, approves } = project;
  const { sources } = flags;
  const foreign = sources.includes("user") ? paths.foreignSettings : [];
  const names = projectSettings.filter((name) => isTrusted && sources.includes(findSource(name)));
  for (const at of foldersBetween(root, folder).toReversed())
    for (const name of names) {
      const file = join(at, name);
      if (file === paths.settings || foreign.includes(file)) continue;
      const read = await readSettings(file, (path) => holds(root, path));
      const command = read?.disableAllHooks ? undefined : read?.statusLine?.command;
      if (command !== undefined && approves?.(hashStatusLine(command)) !== false)
        return { command, isProject: true };
    }
  for (const file of foreign) {
    const read = await readSettings(file, () => true);
    if (read?.disableAllHooks) return null;
    if (read?.statusLine) return { command: read.statusLine.command, isProject: false };
  }
  return null;
}

type RunOptions = {
  cwd: string;
  env: Record<string, string>;
  signal: AbortSignal;
  launch: Launcher["program"];
};

const timeoutMs = 5_000;

const maxLines = 3;

/** Runs the command, and returns at most three lines of output; none if it fails or takes longer than 5 seconds. */
export async function runStatusLine(
  { command, isProject }: StatusLine,
  input: unknown,
  { launch, ...options }: RunOptions,
): Promise<string[]> {
  const how = { ...options, input: JSON.stringify(input), timeoutMs };
  const run = runCommand(command, { ...how, launch: isProject ? launch : undefined });
  const result = await run.catch(() => null);
  if (result?.code !== 0) return [];
  return result.stdout
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, maxLines);
}
