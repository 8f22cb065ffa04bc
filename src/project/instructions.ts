/** Instructions of the user and of the opened project: AGENTS.md and CLAUDE.md. */

import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ContextFact } from "../protocol/entry.ts";
import type { HomeFolders } from "../tools/permission/sensitive.ts";
import { projectFile } from "./project-file.ts";
import { readStart } from "./read-start.ts";

const instructionNames = ["AGENTS.md", "CLAUDE.md"] as const;

/** Most of one file that the model is shown, in bytes. */
const maxFileBytes = 40_000;

/** A trusted project: its root and the opened folder in it, both without symlinks. */
export type TrustedProject = { root: string; cwd: string; homes: HomeFolders };

/**
 * The user's own instructions (`own`), then those of the project from its root down to the opened
 * folder. `project` is null when its files are not trusted.
 */
export async function findInstructions(
  own: readonly string[],
  project: TrustedProject | null,
): Promise<ContextFact[]> {
  const texts = new Map<string, string>();
  const add = (file: string, text: string | null): void => {
    if (text !== null && text.trim() !== "" && !texts.has(text)) texts.set(text, file);
  };
  for (const file of own) add(file, await read(file, () => true));
  if (project) {
    const accepts = await acceptable(own, project);
    for (const file of instructionFiles(project)) add(file, await read(file, accepts));
  }
  return [...texts].map(([text, title]) => {
    return { type: "context", kind: "instructions", title, content: [{ type: "text", text }] };
  });
}

/** Every place where a project may have instructions, outermost first. */
export function instructionFiles({ root, cwd }: Pick<TrustedProject, "root" | "cwd">): string[] {
  const folders = [cwd];
  for (let at = cwd; at !== root && at !== dirname(at); at = dirname(at))
    folders.unshift(dirname(at));
  return folders.flatMap((folder) => instructionNames.map((name) => join(folder, name)));
}

/** A link must not show the model other files: only the project's own and the user's instructions. */
async function acceptable(
  own: readonly string[],
  project: TrustedProject,
): Promise<(path: string) => boolean> {
  const mine = await Promise.all(own.map((file) => realpath(file).catch(() => file)));
  const ofProject = projectFile(project);
  return (path) => mine.includes(path) || ofProject(path);
}

async function read(file: string, accepts: (path: string) => boolean): Promise<string | null> {
  const start = await readStart(file, maxFileBytes, accepts);
  if (!start) return null;
  const rest = start.size - maxFileBytes;
  return rest > 0 ? `${start.text}\n[${rest} more bytes in ${file}]` : start.text;
}
