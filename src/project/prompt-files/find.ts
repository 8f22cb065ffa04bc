/** The commands and skills of the user and of the project. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { foldersBetween } from "../../tools/workspace.ts";
import { projectFile, readStart, type TrustedProject } from "../project-file.ts";
import { promptFolders } from "./folders.ts";
import { maxFiles, markdownBelow } from "./markdown-below.ts";
import { commandName, promptFileIn, type PromptFile } from "./prompt-file.ts";

const maxFileBytes = 100_000;

export type PromptFileSources = {
  /** The user's home; null when nothing of theirs is used. */
  home: string | null;
  /** Our own folder, which a variable may have moved out of the home. */
  ownFolder: string;
  /** Null when its files are not trusted. */
  project: TrustedProject | null;
};

type Kind = PromptFile["kind"];

/** One file for each name: the project's replaces the user's, and the inner folder's the outer one's. */
export async function findPromptFiles(
  kind: Kind,
  { home, ownFolder, project }: PromptFileSources,
): Promise<PromptFile[]> {
  const found = new Map<string, PromptFile>();
  const add = async (folder: string, isProject: boolean): Promise<void> => {
    const accepts = isProject && project ? projectFile(project) : () => true;
    for (const path of await pathsIn(folder, kind)) {
      const file = join(folder, path);
      const start = await readStart(file, maxFileBytes, accepts);
      const name = kind === "skill" ? (path.split("/")[0] ?? "") : commandName(path);
      const parsed = start && promptFileIn(start.text, { kind, name, file, isProject });
      if (parsed) found.set(parsed.name, parsed);
    }
  };
  const names = promptFolders[kind];
  if (home !== null) {
    for (const name of names) await add(join(home, name), false);
    await add(join(ownFolder, `${kind}s`), false);
  }
  if (project)
    for (const folder of foldersBetween(project.root, project.cwd))
      for (const name of names) await add(join(folder, name), true);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Paths of the files below a folder, in order. */
async function pathsIn(folder: string, kind: Kind): Promise<string[]> {
  if (kind === "command") return markdownBelow(folder);
  const names = await readdir(folder).catch(() => []);
  const first = names.toSorted().slice(0, maxFiles);
  return first.map((name) => `${name}/SKILL.md`);
}
