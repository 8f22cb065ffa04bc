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
import { hashAsk } from "../trust/project/scripts.ts";

type StatusLineOptions = {
  flags: Pick<Flags, "sources">;
  settings: Settings;
  paths: Pick<Paths, "settings" | "foreignSettings">;
  project: Project;
};

/** Identifies a project's command, with the content of the scripts that it runs. */
export const hashStatusLine = (command: string, root: string): string =>
  hashAsk(["statusLine", command], command.split(/\s+/), root);

/**
 * The command of the user's settings, or of the project's where the user approved it, or of another
 * agent's settings; null: there is none.
 */
export async function findStatusLine({
  flags,
  settings,
  paths,
  project,
}: StatusLineOptions): Promise<string | null> {
  if (settings.disableAllHooks) return null;
  if (settings.statusLine) return settings.statusLine.command;
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
      if (command !== undefined && approves?.(hashStatusLine(command, root)) !== false)
        return command;
    }
  for (const file of foreign) {
    const read = await readSettings(file, () => true);
    if (read?.disableAllHooks) return null;
    if (read?.statusLine) return read.statusLine.command;
  }
  return null;
}

const timeoutMs = 5_000;

const maxLines = 3;

/** Runs the command, and returns at most three lines of output; none if it fails or takes longer than 5 seconds. */
export async function runStatusLine(
  command: string,
  input: unknown,
  options: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<string[]> {
  const run = runCommand(command, { ...options, input: JSON.stringify(input), timeoutMs });
  const result = await run.catch(() => null);
  if (result?.code !== 0) return [];
  return result.stdout
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, maxLines);
}
