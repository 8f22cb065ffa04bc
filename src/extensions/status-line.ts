/** The custom status line: a command that gets the meter as JSON and prints up to three lines. */

import type { Flags } from "../config/flags.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { runCommand } from "./hooks/command-hook.ts";
import { readSettingsFiles } from "./hooks/settings.ts";
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
export async function findStatusLine(options: StatusLineOptions): Promise<StatusLine | null> {
  const { settings, project } = options;
  if (settings.disableAllHooks) return null;
  if (settings.statusLine) return { command: settings.statusLine.command, isProject: false };
  const files = await readSettingsFiles(options);
  const ofProject = files.filter(({ isProject }) => isProject).toReversed();
  const own = files.filter(({ isProject }) => !isProject);
  for (const { isOff, statusLine, isProject } of [...ofProject, ...own]) {
    const command = isOff ? undefined : statusLine?.command;
    if (command === undefined) continue;
    if (!isProject || project.approves?.(hashStatusLine(command)) !== false)
      return { command, isProject };
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
