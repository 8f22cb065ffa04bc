import { sensitivityOf, type HomeFolders } from "../tools/permission/sensitive.ts";
import { holds } from "../tools/workspace.ts";

/** A trusted project: its root and the opened folder in it, both without symlinks. */
export type TrustedProject = { root: string; cwd: string; homes: HomeFolders };

/** Whether a path, without symlinks, is a file of the project that holds no secret. */
export const projectFile =
  ({ root, homes }: Pick<TrustedProject, "root" | "homes">) =>
  (path: string): boolean =>
    holds(root, path) && sensitivityOf(path, homes) !== "secret";
