/** A Markdown file that begins with YAML between two lines of `---`, as commands, skills and agents do. */

import { isRecord } from "../base/guards.ts";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

const pattern = /^\ufeff?---[ \t]*\r?\n([\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/;

/** `fields` is empty when the file has none, or none that can be read; `body` is the text after them. */
export function readFrontMatter(text: string) {
  const [whole = "", yaml] = pattern.exec(text) ?? [];
  const fields = yaml === undefined ? {} : parseFields(yaml);
  return { fields, body: text.slice(whole.length).trim() };
}

/**
 * Many such files are not valid YAML, because a description holds a colon: then each line is a field
 * by itself.
 */
function parseFields(yaml: string): Record<string, unknown> {
  try {
    const parsed: unknown = Bun.YAML.parse(yaml);
    return isRecord(parsed) ? parsed : {};
  } catch {
    const lines = [...yaml.matchAll(/^([A-Za-z][\w-]*):[ \t]*(.*)$/gm)];
    return Object.fromEntries(lines.map(([, key = "", value = ""]) => [key, value.trim()]));
  }
}

/** Characters of a field that is split: the pattern is slow on text full of open brackets. */
const listChars = 4_000;

/** A field that is a list, or words between commas or spaces; null when it is not there. */
export function listField(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  if (typeof value !== "string") return null;
  // `Bash(git diff:*)` is one word: commas and spaces between brackets do not separate.
  return value.slice(0, listChars).match(/(?:[^\s,(]|\([^)]*\))+/g) ?? [];
}

export const maxFiles = 500;
/** How many levels of folders are searched. */
const maxDepth = 5;

/** Markdown files below a folder and folders linked there, by their relative paths, in order. */
export const markdownBelow = async (folder: string): Promise<string[]> =>
  (await below(folder, "", [])).toSorted().slice(0, maxFiles);

/** `around`: the real paths of the folders above, to which links may lead back. */
async function below(folder: string, above: string, around: string[]): Promise<string[]> {
  const here = await realpath(join(folder, above)).catch(() => "");
  if (around.includes(here) || around.length > maxDepth) return [];
  const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
  const paths: string[] = [];
  for (const entry of entries.slice(0, maxFiles)) {
    const path = join(above, entry.name);
    const isFolder = entry.isSymbolicLink()
      ? ((await stat(join(folder, path)).catch(() => null))?.isDirectory() ?? false)
      : entry.isDirectory();
    if (isFolder) paths.push(...(await below(folder, path, [...around, here])));
    else if (entry.name.endsWith(".md")) paths.push(path);
  }
  return paths;
}
