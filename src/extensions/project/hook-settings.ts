/** The hooks in settings files: the user's, those of other agents, and the project's. */

import { join } from "node:path";
import { z } from "zod";
import type { Paths } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import type { Flags, SettingSource } from "../../config/flags.ts";
import type { HookSettings } from "../hooks/settings.ts";
import { parseJsonc } from "../../base/guards.ts";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import { type Project, readStart } from "./project-file.ts";

/** Settings files of a project, weakest last. */
export const projectSettings = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".mini-claude/settings.json",
];

type Options = {
  /** Which settings files are read. */
  flags: Pick<Flags, "sources">;
  settings: Settings;
  paths: Pick<Paths, "settings" | "foreignSettings">;
  project: Project;
};

/** The hooks of all settings files, and what in them cannot be used. */
export async function readHooks(options: Options) {
  const found = options.settings.disableAllHooks ? [] : await findHooks(options);
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
async function findHooks({ flags, settings, paths, project }: Options): Promise<HookSettings[]> {
  const { sources } = flags;
  const { root, folder, isTrusted } = project;
  const found: HookSettings[] = [];
  let isOff = false;
  if (Object.keys(settings.hooks).length > 0)
    found.push({ hooks: settings.hooks, source: paths.settings, folder: root, isProject: false });
  const add = async (source: string, at: string, isProject: boolean): Promise<void> => {
    const accepts = (path: string): boolean => !isProject || holds(root, path);
    const read = await settingsIn(source, accepts);
    isOff ||= !isProject && read?.disableAllHooks === true;
    // A project disables only its own hooks: the user's may be there for protection.
    if (read?.hooks && !read.disableAllHooks)
      found.push({ hooks: read.hooks, source, folder: at, isProject });
  };
  const foreign = sources.includes("user") ? paths.foreignSettings : [];
  for (const file of foreign) await add(file, root, false);
  if (isOff) return [];
  const names = projectSettings.filter((name) => isTrusted && sources.includes(sourceOf(name)));
  for (const at of foldersBetween(root, folder))
    for (const name of names) {
      const file = join(at, name);
      // In the home folder they are the user's own, which were read above.
      if (file !== paths.settings && !foreign.includes(file)) await add(file, at, true);
    }
  return found;
}

async function settingsIn(file: string, accepts: (path: string) => boolean) {
  const start = await readStart(file, maxBytes, accepts);
  if (!start || start.size > maxBytes) return null;
  return schema.safeParse(parseJsonc(start.text)).data ?? null;
}
