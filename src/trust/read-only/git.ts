/** Git commands that change nothing and start no other program. */

import { join } from "node:path";
import { findRepository, type Repository } from "../git/git-folders.ts";
import { findVerb, gitReadings, printsContent, tellsMore, type GitReading } from "../git-verbs.ts";
import { literal, type Word } from "../line/word.ts";
import { secretPathspecs } from "../secrets.ts";
import { isSecret } from "../sensitive.ts";
import { follow, isOpen, type ReadScope } from "./operands.ts";
import { readArguments } from "./options.ts";

/** The words to run instead; null: not known to be read-only. */
export async function readOnlyGit(
  args: readonly string[],
  cwds: readonly string[],
  scope: ReadScope,
): Promise<Word[] | null> {
  const rest = args[0] === "--no-pager" ? args.slice(1) : [...args];
  if (rest[0] === "-C") return elsewhere(rest.slice(1), cwds, scope);
  if (rest.length === 1 && rest[0] === "--version") return words(["--version"]);
  const name = findVerb(rest);
  const verb = gitReadings.get(name);
  if (!verb) return null;
  const tail = rest.slice(name.split(" ").length);
  if (tail.some((arg) => tellsMore.test(arg))) return null;
  const repositories = await Promise.all(cwds.map((cwd) => usable(cwd, scope)));
  if (!repositories.every((repository) => repository !== null)) return null;
  const root = repositories[0]?.root;
  if (root === undefined || repositories.some((repository) => repository.root !== root))
    return null;
  return rewrite(name, verb, tail, { root, cwds, scope });
}

/** `git -C FOLDER` runs in a folder of the workspace. */
async function elsewhere(
  [folder = "", ...args]: readonly string[],
  cwds: readonly string[],
  scope: ReadScope,
): Promise<Word[] | null> {
  const targets = await Promise.all(cwds.map((cwd) => follow(folder, cwd)));
  const folders = targets.flatMap((target) =>
    target?.kind === "folder" && isOpen(target.path, scope) ? [target.path] : [],
  );
  if (folders.length < cwds.length) return null;
  const inner = await readOnlyGit(args, folders, scope);
  return inner && [...words(["-C", folder]), ...inner.slice(1)];
}

const words = (texts: readonly string[]): Word[] => ["git", ...texts].map(literal);

/** A repository that reaches above the workspace shows files outside it. */
async function usable(cwd: string, { workspace }: ReadScope): Promise<Repository | null> {
  const repository = await findRepository(cwd);
  return repository && workspace.areaOf(repository.root) !== "outside" ? repository : null;
}

type GitReads = { root: string; cwds: readonly string[]; scope: ReadScope };

async function rewrite(
  name: string,
  verb: GitReading,
  tail: readonly string[],
  reads: GitReads,
): Promise<Word[] | null> {
  const dashes = tail.indexOf("--");
  const before = dashes === -1 ? tail : tail.slice(0, dashes);
  const after = dashes === -1 ? [] : tail.slice(dashes + 1);
  const read = readArguments(before, verb.list);
  if (!read) return null;
  const options = before.filter((arg) => !read.operands.includes(arg));
  const { operands } = read;
  if (verb.operands === "none" && operands.length + after.length > 0) return null;
  if (verb.operands === "names") {
    const needed =
      operands.length === 0 || (verb.needs?.some((option) => read.given.has(option)) ?? true);
    if (!needed || after.length > 0 || operands.some((operand) => !plainName.test(operand)))
      return null;
    return words([...name.split(" "), ...verb.add, ...options, ...operands]);
  }
  const pattern = verb.operands.startsWith("pattern") && !read.given.has("-e");
  if (pattern && operands.length === 0) return null;
  const sorted = await sortOperands(pattern ? operands.slice(1) : operands, after, reads);
  if (!sorted) return null;
  const isContent = printsContent(verb, read.given);
  // With `--follow`, git accepts one path and no exclusions, and a secret may have had another name.
  if (isContent && read.given.has("--follow")) return null;
  const forbidden = forbiddenPathspecs(reads);
  if (isContent && forbidden === null) return null;
  const hide = isContent && name !== "blame" ? [...secretPathspecs, ...(forbidden ?? [])] : [];
  const paths = [...sorted.paths, ...hide];
  return words([
    ...name.split(" "),
    ...verb.add,
    ...options,
    ...(pattern ? [operands[0] ?? ""] : []),
    ...(isContent ? sorted.commits.map(commitsOnly) : sorted.commits),
    ...(paths.length > 0 ? ["--", ...paths] : []),
  ]);
}

/**
 * Excludes paths that rules forbid to read; null when a rule cannot be expressed as a pathspec.
 */
function forbiddenPathspecs({ root, scope }: GitReads): string[] | null {
  const specs: string[] = [];
  for (const pattern of scope.forbidden) {
    const way = pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : null;
    // In a part of the path above the repository, a pattern may stand for it.
    if (way === null && /[*?[{]/.test(pattern.slice(0, root.length + 2))) return null;
    if (way === null) continue;
    if (/[{}!\\]/.test(way)) return null;
    specs.push(`:(top,exclude,glob)${way}`);
  }
  return specs;
}

const plainName = /^[\w^][\w./@{}~^+*?:-]*$/;
const commitName = /^(?!.*\.\.\/)\^?(?:\.\.\.?)?[\w@][\w./@{}~^+-]*$/;

async function sortOperands(
  operands: readonly string[],
  after: readonly string[],
  { root, cwds, scope }: GitReads,
): Promise<{ commits: string[]; paths: string[] } | null> {
  const commits: string[] = [];
  const paths: string[] = [];
  for (const operand of operands) {
    const [, commit = "", path] = /^([^:]*):(.*)$/s.exec(operand) ?? [];
    if (path !== undefined) {
      if (scope.isForbidden(join(root, path))) return null;
      if (!commitName.test(commit) || commit.includes("..") || !isPlainPath(path)) return null;
      if (isSecret(join(root, path), scope.folders)) return null;
      commits.push(operand);
    } else if (await exists(operand, cwds)) paths.push(operand);
    else if (commitName.test(operand)) commits.push(operand);
    else return null;
  }
  paths.push(...after);
  for (const path of paths) {
    if (!isPlainPath(path)) return null;
    for (const cwd of cwds) {
      const target = await follow(path, cwd);
      if (!target || !isOpen(target.path, scope)) return null;
    }
  }
  return { commits, paths };
}

/** Without the patterns and the magic words of a pathspec. */
const isPlainPath = (path: string): boolean => !/[*?[\\]|^:/.test(path);

async function exists(path: string, cwds: readonly string[]): Promise<boolean> {
  const targets = await Promise.all(cwds.map((cwd) => follow(path, cwd)));
  return targets.some((target) => target !== null && target.kind !== "missing");
}

/** A hash could name any file: anything that is not a commit is an error. */
function commitsOnly(range: string): string {
  if (range.includes(":")) return range;
  const [, start = "", dots = "", end = ""] = /^(.*?)(\.{2,3})(.*)$/.exec(range) ?? [];
  if (dots === "") return peel(range);
  return `${peel(start)}${dots}${peel(end)}`;
}

/** A tree is the only object other than a commit that prints no content by itself. */
const peel = (name: string): string =>
  name === "" || name.endsWith("^{tree}") ? name : `${name}^{commit}`;
