import { isSecret, type HomeFolders } from "../tools/permission/sensitive.ts";
import { holds } from "../tools/workspace.ts";

/** The opened folder, and the root that trust is decided for; both without symlinks. */
export type Project = { root: string; folder: string; isTrusted: boolean };

/** A trusted project: its root and the opened folder in it, both without symlinks. */
export type TrustedProject = { root: string; cwd: string; homes: HomeFolders };

/** Whether a path, without symlinks, is a file of the project that holds no secret. */
export const projectFile =
  ({ root, homes }: Pick<TrustedProject, "root" | "homes">) =>
  (path: string): boolean =>
    holds(root, path) && !isSecret(path, homes);
