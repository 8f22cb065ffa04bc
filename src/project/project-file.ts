import { sensitivityOf } from "../tools/permission/sensitive.ts";
import { holds } from "../tools/workspace.ts";
import type { TrustedProject } from "./instructions.ts";

/** Whether a path, without symlinks, is a file of the project that holds no secret. */
export const projectFile =
  ({ root, homes }: Pick<TrustedProject, "root" | "homes">) =>
  (path: string): boolean =>
    holds(root, path) && sensitivityOf(path, homes) !== "secret";
