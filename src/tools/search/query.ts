/** Scope and name patterns of searches. */

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

/** The scope of a search, for display. */
export const named = (target: WorkspacePath): string =>
  target.shown === "." ? "the workspace" : target.shown;

/** A path on one line: file names may contain line breaks. */
export const onOneLine = (path: string): string =>
  // eslint-disable-next-line no-control-regex
  /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;

export function nameFilter(pattern: string, { isAnchored = false } = {}) {
  const plain = pattern.replace(/^\.\//, "").replace(/^\//, "");
  const deep = isAnchored || plain.includes("/") ? plain : `**/${plain}`;
  // `[slug]` and `{a,b}` may also be literal folder names.
  const globs = [deep, deep.replace(/[[\]{}]/g, "\\$&")].map((form) => new Bun.Glob(form));
  return {
    /** Matches a path relative to the searched folder. */
    matches(path: string): boolean {
      // A search may look at every file.
      const name = sep === "/" ? path : path.replaceAll(sep, "/");
      return globs.some((glob) => glob.match(name));
    },
    /** Whether the pattern names hidden files or folders. */
    hidden: /(?:^|[/{,])\.[^./]/.test(plain),
  };
}
