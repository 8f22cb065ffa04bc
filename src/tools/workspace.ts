/** Where the tools may go. Every path from a model is resolved here before it is used. */

import { existsSync } from "node:fs";
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../base/guards.ts";
import { errorMessage } from "../base/format.ts";
import { ToolError } from "./tool.ts";

/** A path with all symlinks resolved, and the area it is in. */
export type WorkspacePath = {
  /** Absolute, without symlinks. The last parts may not exist yet. */
  path: string;
  /** Relative to the workspace if inside it, else absolute. */
  shown: string;
  area: Area;
};

type Area = "workspace" | "added" | "results" | "temporary" | "outside";

const maxLinks = 40;

/** The machine's folder. In the sandbox, each session has its own. */
const machineTemporary = "/tmp";

/** Null unless the path lies below /tmp. */
const topBelowTemporary = (path: string): string | null =>
  wayBelow(machineTemporary, path)?.split(sep, 1)[0] ?? null;

/** Throws with a sentence when there is no such folder. */
const realFolder = (folder: string): Promise<string> =>
  realpath(folder).catch((error: unknown) => {
    throw errorCode(error) === "ENOENT" ? new Error(`There is no folder ${folder}.`) : error;
  });

type Folders = {
  workspace: string;
  added: readonly string[];
  results: string;
  home: string;
  /** Result files of the resumed session. */
  ownResults?: Iterable<string> | undefined;
  /** The session's folder for temporary files, which commands know as /tmp; null: they share the machine's. */
  temporary?: (() => Promise<string | null>) | undefined;
};

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** The folders must exist, `results` excepted. */
export async function openWorkspace(folders: Folders) {
  const root = await realpath(folders.workspace);
  const added: readonly string[] = await Promise.all(folders.added.map(realFolder));
  const results = await followLinks(resolve(folders.results));
  const home = await followLinks(resolve(folders.home));
  const ownNames = new Set<string>();
  /** Known once it has been asked for. */
  let temporary: string | null = null;

  const expandHome = (given: string): string => {
    if (given === "~") return home;
    return given.startsWith(`~${sep}`) ? join(home, given.slice(2)) : given;
  };

  /** A result file of this session; those of others are outside. */
  const addResult = (file: string): void => void ownNames.add(basename(file));
  for (const file of folders.ownResults ?? []) addResult(file);

  /** For a path whose symlinks are resolved. */
  function findArea(path: string): Area {
    if (holds(results, path) && !holds(results, root)) {
      const isOwn = dirname(path) === results && ownNames.has(basename(path));
      return isOwn ? "results" : "outside";
    }
    if (holds(root, path)) return "workspace";
    if (added.some((folder) => holds(folder, path))) return "added";
    return temporary !== null && holds(temporary, path) ? "temporary" : "outside";
  }

  /** The path as commands see it, if it is below /tmp and not there on the machine. */
  async function inTemporary(path: string): Promise<WorkspacePath | null> {
    const way = wayBelow(machineTemporary, path);
    if (way === null || findArea(path) !== "outside") return null;
    const sharesTopFolder = [root, home].some(
      (ours) => topBelowTemporary(ours) === way.split(sep, 1)[0],
    );
    if (sharesTopFolder && way !== "") return null;
    temporary ??= (await folders.temporary?.()) ?? null;
    if (temporary === null || findArea(path) === "temporary") return null;
    const there = join(temporary, way);
    return existsSync(there) || !existsSync(path) ? at(await followLinks(there)) : null;
  }

  function show(path: string): string {
    if (holds(root, path)) return relative(root, path) || ".";
    const way = temporary === null ? null : wayBelow(temporary, path);
    return way === null ? path : join(machineTemporary, way);
  }

  /** For a path whose symlinks are resolved. */
  const at = (path: string): WorkspacePath => ({ path, shown: show(path), area: findArea(path) });

  return {
    root,
    added,
    results,
    home,
    show,
    at,
    areaOf: findArea,
    addResult,

    /** Relative paths start at the workspace, or at `base`. Throws `ToolError` for an invalid path. */
    async locate(given: string, base = root): Promise<WorkspacePath> {
      if (given.trim() === "") throw new ToolError("The path is empty; give one in the workspace.");
      if (given.includes("\0")) throw new ToolError("The path contains a null byte.");
      const path = resolve(base, expandHome(given));
      const found = at(await followLinks(path));
      return (found.area === "outside" ? await inTemporary(path) : null) ?? found;
    },

    /** The path without looking at the disk, so that its symlinks are not resolved. */
    absolute: (given: string): string => resolve(root, expandHome(given)),

    /** The result files of this session. */
    ownResults: (): string[] => [...ownNames].map((name) => join(results, name)),
  };
}

/** Whether `path` is `folder` or below it; both absolute and free of symlinks. */
export const holds = (folder: string, path: string): boolean => wayBelow(folder, path) !== null;

/**
 * The path from `folder` to `path`, empty for the folder itself; null when it is not below. Called
 * for every file of a search.
 */
export function wayBelow(folder: string, path: string): string | null {
  if (hasDetour.test(folder) || hasDetour.test(path)) {
    const way = relative(folder, path);
    return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? null : way;
  }
  if (path === folder) return "";
  const top = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(top) ? path.slice(top.length) : null;
}

/** The folders from `outer` down to `inner`, which lies in it; both included. */
export function foldersBetween(outer: string, inner: string): string[] {
  const folders = [inner];
  for (let at = inner; at !== outer && at !== dirname(at); at = dirname(at))
    folders.unshift(dirname(at));
  return folders;
}

/** A path that is relative, or has a part that is empty, "." or "..", and so has another spelling. */
const hasDetour = /^[^/]|[\\/]\.{0,2}(?:[\\/]|$)/;

/**
 * Like realpath, but the path may not exist: the deepest existing parent is resolved and the rest
 * appended. A dangling symlink is followed, because writing through it would be.
 */
export async function followLinks(path: string, links = 0): Promise<string> {
  if (links > maxLinks) throw new ToolError(`${path} leads through too many symlinks.`);
  try {
    return await realpath(path);
  } catch (error) {
    const code = describeError(error);
    if (code === "ELOOP") throw new ToolError(`${path} leads through a loop of symlinks.`);
    if (code === "ENAMETOOLONG") throw new ToolError("The path is too long for this system.");
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      throw new ToolError(`${path} cannot be reached (${code}).`);
    }
  }
  const target = await readlink(path).catch(() => null);
  if (target !== null) return followLinks(resolve(dirname(path), target), links + 1);
  const parent = dirname(path);
  return parent === path ? path : join(await followLinks(parent, links), basename(path));
}

/** The system's code of an error, such as ENOENT; else its message. */
export function describeError(error: unknown): string {
  return errorCode(error) || errorMessage(error);
}
