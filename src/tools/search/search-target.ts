/** Where a search looks, and how the search and its results are named. */

import type { Intent } from "../tool.ts";
import type { Workspace, WorkspacePath } from "../workspace.ts";

/** What a search would touch: the folder or file it looks in, by default the workspace. */
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

/** What a search looks through, as the user is shown it. */
export const named = (target: WorkspacePath): string =>
  target.shown === "." ? "the workspace" : target.shown;

/** A path on one line: file names may contain line breaks. */
export const lineOf = (path: string): string =>
  // eslint-disable-next-line no-control-regex
  /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
