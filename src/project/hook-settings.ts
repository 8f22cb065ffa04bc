/** The hooks in settings files: the user's, those of other agents, and the project's. */

import { join } from "node:path";
import { z } from "zod";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { SettingSource } from "../config/flags.ts";
import type { HookSettings } from "../hooks/settings.ts";
import { parseJsonc } from "../protocol/guards.ts";
import { holds } from "../tools/workspace.ts";
import { foldersBetween } from "../tools/folders.ts";
import type { Project } from "./project-file.ts";
import { readStart } from "./read-start.ts";

type HookFiles = {
  /** The user's own hooks, from settings that are read already. */
  own: { hooks: unknown; file: string };
  /** Settings of another agent in the user's home. */
  foreign: readonly string[];
  /** The opened folder, and the root of its project. */
  folder: string;
  root: string;
  /** The files of a trusted project, as `projectSettings` names them. */
  projectFiles: readonly string[];
};

/** Settings files of a project, weakest last. */
export const projectSettings = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".mini-claude/settings.json",
];

type Sources = {
  /** Which settings files are read. */
  sources: readonly SettingSource[];
  settings: Settings;
  paths: Pick<Paths, "settings" | "foreignSettings">;
  project: Project;
};

/** The hooks of all settings files, and what in them cannot be used. */
export async function readHooks({ sources, settings, paths, project }: Sources) {
  if (settings.disableAllHooks) return { hooks: [], problems: [] };
  const found = await findHooks({
    own: { hooks: settings.hooks, file: paths.settings },
    foreign: sources.includes("user") ? paths.foreignSettings : [],
    ...project,
    projectFiles: project.isTrusted
      ? projectSettings.filter((name) => sources.includes(sourceOf(name)))
      : [],
  });
  const { parseHooks } = await import("../hooks/settings.ts");
  const parsed = found.map(parseHooks);
  return {
    hooks: parsed.flatMap(({ hooks }) => hooks),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

const sourceOf = (file: string): SettingSource => (file.includes("local") ? "local" : "project");

const maxBytes = 256 * 1024;

const schema = z.looseObject({
  hooks: z.record(z.string(), z.unknown()).optional().catch(undefined),
  disableAllHooks: z.boolean().optional().catch(undefined),
});

/** The user's hooks first. Files that cannot be read as settings have none. */
export async function findHooks({
  own,
  foreign,
  folder,
  root,
  projectFiles,
}: HookFiles): Promise<HookSettings[]> {
  const found: HookSettings[] = [];
  let isOff = false;
  if (Object.keys(own.hooks ?? {}).length > 0)
    found.push({ hooks: own.hooks, source: own.file, folder: root, isProject: false });
  const add = async (source: string, at: string, isProject: boolean): Promise<void> => {
    const accepts = (path: string): boolean => !isProject || holds(root, path);
    const settings = await settingsIn(source, accepts);
    isOff ||= !isProject && settings?.disableAllHooks === true;
    // A project disables only its own hooks: the user's may be there for protection.
    if (settings?.hooks && !settings.disableAllHooks)
      found.push({ hooks: settings.hooks, source, folder: at, isProject });
  };
  for (const file of foreign) await add(file, root, false);
  if (isOff) return [];
  for (const at of foldersBetween(root, folder))
    for (const name of projectFiles) {
      const file = join(at, name);
      // In the home folder they are the user's own, which were read above.
      if (file !== own.file && !foreign.includes(file)) await add(file, at, true);
    }
  return found;
}

async function settingsIn(file: string, accepts: (path: string) => boolean) {
  const start = await readStart(file, maxBytes, accepts);
  if (!start || start.size > maxBytes) return null;
  return schema.safeParse(parseJsonc(start.text)).data ?? null;
}
