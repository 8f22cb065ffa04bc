/** Query and results of a search, and which names it looks for. */

import { sep } from "node:path";
import type { Intent } from "../tool.ts";
import type { Workspace, WorkspacePath } from "../workspace.ts";

export type SearchQuery = {
  pattern: string;
  ignoreCase: boolean;
  /** A match may span lines. */
  multiline: boolean;
  /** Lines to show before and after each match. */
  before: number;
  after: number;
  /** The folder that all files are in, absolute. */
  folder: string;
  /** The files to search, in order. */
  files: AsyncIterable<FileRun>;
  /** Files whose name begins with a dot are searched as well. */
  hidden: boolean;
  /** Which files have a match is enough. */
  onlyNames: boolean;
  /** Lines that are still needed; further ones are only counted. */
  linesWanted(): number;
  signal: AbortSignal;
};

/** Files of one folder that follow each other in order. */
export type FileRun = {
  folder: string;
  names: readonly string[];
  /** The folder itself holds no other file, except hidden ones if those are not searched. */
  isWhole: boolean;
};

export function listPaths({ folder, names }: FileRun): string[] {
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  return names.map((name) => prefix + name);
}

/** `at`: where in the line the first match begins; null: it is context. */
export type FoundLine = { line: number; text: string; at: number | null };

/** A file with its number of matching lines. `lines` are in order, at most `maxLines`. */
export type FoundFile = { path: string; lines: FoundLine[]; matches: number };

/** A larger file is not searched. */
export const maxFileBytes = 64 * 1024 * 1024;

/** Per file; further lines are only counted. */
export const maxLines = 2000;

/** The intent of a search: it reads a folder or file, by default the workspace. */
export async function searchIntent(
  verb: string,
  { pattern, path }: { pattern: string; path?: string | undefined },
  workspace: Workspace,
): Promise<Intent> {
  const target = await workspace.locate(path ?? ".");
  return {
    access: { kind: "read", path: target.path },
    title: `${verb} ${pattern} in ${named(target)}`,
    detail: pattern,
  };
}

/** The place that a search looks through, for display. */
export const named = (target: WorkspacePath): string =>
  target.shown === "." ? "the workspace" : target.shown;

/** A path on one line: file names may contain line breaks. */
export const onOneLine = (path: string): string =>
  // eslint-disable-next-line no-control-regex
  /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;

export function nameFilter(pattern: string, { isAnchored = false } = {}) {
  const plain = pattern.replace(/^\.\//, "").replace(/^\//, "");
  const deep = isAnchored || plain.includes("/") ? plain : `**/${plain}`;
  const glob = new Bun.Glob(deep);
  return {
    /** For a path relative to the folder of the search, with forward slashes. */
    matches: (path: string) => glob.match(path),
    /** Whether it names hidden files or folders. */
    hidden: /(?:^|[/{,])\.[^./]/.test(plain),
  };
}
