import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { childEnv } from "../../config/credentials.ts";
import { attempt } from "../../base/guards.ts";
import type { Environment } from "../../base/environment.ts";
import { holds } from "../../tools/workspace.ts";
import type { Project } from "./project-file.ts";

/**
 * A PATH without the programs of a project: package runners put its `node_modules/.bin` first, and
 * a relative folder is whatever the current folder holds. `root` is without symlinks.
 */
export const pathOutside = (path: string, root: string): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !holds(root, realOrSame(folder)))
    .join(delimiter);

const realOrSame = (folder: string): string => attempt(() => realpathSync(folder), folder);

/** The environment for commands: no keys, and no programs of an untrusted project on its PATH. */
export function commandEnv(
  env: Environment,
  { root, isTrusted }: Pick<Project, "root" | "isTrusted">,
): Record<string, string> {
  const all = childEnv(env);
  return isTrusted ? all : { ...all, PATH: pathOutside(all["PATH"] ?? "", root) };
}
