/**
 * Expands patterns such as `src/*.ts`, so that the files can be judged like files that the model
 * names. The shell then gets their names, and expands nothing itself.
 */

import { lstat, readdir } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Step } from "../line/command-line.ts";
import { literal, type Word } from "../line/word.ts";
import { follow, isOpen, type ReadScope } from "./operands.ts";

/** With no other signs than `*` and `?`. */
const plain = /^[\w.,:@%+=*?/-]+$/;

/** Parts in quotes that are the same without them. */
const quoted = /'([\w.,:@%+=/-]*)'/g;

const maxNames = 1_000;

/** Null when a pattern is of another kind, reaches outside what may be read, or matches too much. */
export async function expandPatterns(
  steps: readonly Step[],
  cwd: string,
  scope: ReadScope,
): Promise<Step[] | null> {
  const expanded: Step[] = [];
  for (const step of steps) {
    const words = await Promise.all(
      step.words.map((word) => (word.kind === "pattern" ? namesFor(word, cwd, scope) : [word])),
    );
    if (words.includes(null)) return null;
    expanded.push({ ...step, words: words.flatMap((each) => each ?? []) });
  }
  return expanded;
}

async function namesFor(word: Word, cwd: string, scope: ReadScope): Promise<Word[] | null> {
  const pattern = word.source.replace(quoted, "$1");
  if (!plain.test(pattern)) return null;
  const parts = pattern.split("/");
  let paths = [""];
  for (const [index, part] of parts.entries()) {
    const end = index < parts.length - 1 ? "/" : "";
    const found = await Promise.all(paths.map((path) => namesIn(path, part, cwd, scope)));
    if (found.includes(null)) return null;
    paths = paths.flatMap((path, at) => (found[at] ?? []).map((name) => path + name + end));
    if (paths.length > maxNames) return null;
  }
  const exist = await Promise.all(paths.map((path) => exists(path, cwd)));
  const names = paths.filter((_, at) => exist[at]).toSorted();
  // Bash passes on a pattern that matches nothing.
  return names.length > 0 ? names.map(literal) : [literal(pattern)];
}

/** The names in a folder that one part of a pattern matches; a part without `*` or `?` is one. */
async function namesIn(
  folder: string,
  part: string,
  cwd: string,
  scope: ReadScope,
): Promise<string[] | null> {
  if (!/[*?]/.test(part)) return [part];
  if (part.startsWith(".")) return null;
  const target = await follow(folder || ".", cwd);
  if (!target || !isOpen(target.path, scope)) return null;
  const pattern = new Bun.Glob(part);
  const names = await readdir(target.path).catch(() => []);
  return names.filter((name) => !name.startsWith(".") && pattern.match(name));
}

const exists = (path: string, cwd: string): Promise<boolean> =>
  lstat(isAbsolute(path) ? path : `${cwd}/${path}`).then(
    () => true,
    () => false,
  );
