/** Where searches look, and which names they look for. */

import { sep } from "node:path";
import type { Intent } from "../tool.ts";
import type { Workspace, WorkspacePath } from "../workspace.ts";

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
  // Of `[slug]` or `{a,b}`, the folder with that name is meant as well.
  const globs = [deep, deep.replace(/[[\]{}]/g, "\\$&")].map((form) => new Bun.Glob(form));
  return {
    /** For a path relative to the folder of the search. */
    matches(path: string): boolean {
      const name = sep === "/" ? path : path.replaceAll(sep, "/");
      return globs.some((glob) => glob.match(name));
    },
    /** Whether it names hidden files or folders. */
    hidden: /(?:^|[/{,])\.[^./]/.test(plain),
  };
}
