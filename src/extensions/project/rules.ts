/** Rules: instructions in `.claude/rules`, for the whole project or only for files of some paths. */

import { join, relative } from "node:path";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import { readFrontMatter } from "./front-matter.ts";
import { markdownBelow } from "./prompt-files/markdown-below.ts";
import { projectFile, readStart, type TrustedProject } from "./project-file.ts";

export const ruleFolders = [".claude/rules", ".mini-claude/rules"] as const;

export type Rule = {
  file: string;
  /** Where the file may really be. */
  accepts(realPath: string): boolean;
  /** Whether it is about a file; null: it always holds. */
  matches: ((path: string) => boolean) | null;
};

/** Enough for the fields at the start of a file. */
const fieldBytes = 8_000;
const maxPatterns = 50;
const patternChars = 200;

/** The user's rules, then those of the project from its root down to the opened folder. */
export async function findRules(
  own: readonly string[],
  project: TrustedProject | null,
): Promise<Rule[]> {
  const rules: Rule[] = [];
  const add = async (folder: string, base: string | null, accepts: Rule["accepts"]) => {
    for (const path of await markdownBelow(folder)) {
      const file = join(folder, path);
      const start = await readStart(file, fieldBytes, accepts);
      const patterns = start && patternsIn(readFrontMatter(start.text).fields["paths"]);
      if (start) rules.push({ file, accepts, matches: patterns && matcher(patterns, base) });
    }
  };
  for (const folder of own) await add(folder, project?.root ?? null, () => true);
  if (project)
    for (const base of foldersBetween(project.root, project.cwd))
      for (const name of ruleFolders) await add(join(base, name), base, projectFile(project));
  return rules;
}

/** Patterns are relative to the folder that the rules belong to. */
function matcher(patterns: readonly string[], base: string | null): (path: string) => boolean {
  const globs = patterns.map((pattern) => new Bun.Glob(pattern));
  return (path) =>
    base !== null && holds(base, path) && globs.some((glob) => glob.match(relative(base, path)));
}

/** A list, or patterns between commas; null when there are none. */
function patternsIn(value: unknown): string[] | null {
  const list = Array.isArray(value)
    ? value.filter((one) => typeof one === "string")
    : typeof value === "string"
      ? // A comma between braces belongs to the pattern.
        (value.slice(0, maxPatterns * patternChars).match(/(?:[^,{]|\{[^}]*\}?)+/g) ?? [])
      : [];
  const patterns = list.map((one) => one.trim()).filter((one) => one !== "");
  const usable = patterns.filter((one) => one.length <= patternChars).slice(0, maxPatterns);
  return patterns.length === 0 ? null : usable;
}
