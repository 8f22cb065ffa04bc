import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { quietGit } from "../git/environment.ts";
import type { Workspace } from "../workspace.ts";

const kept = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "TZ", "USER"];

/**
 * The environment of a command that runs without approval: no programs of the workspace on its
 * PATH, nothing that makes a program read other files or run others.
 */
export async function readOnlyEnvironment(
  env: Readonly<Record<string, string>>,
  workspace: Workspace,
): Promise<Record<string, string>> {
  const folders = (env["PATH"] ?? "").split(":").filter(isAbsolute);
  const safe = await Promise.all(folders.map((folder) => isOutside(folder, workspace)));
  return {
    ...Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    PATH: folders.filter((_, at) => safe[at]).join(":"),
    TERM: "dumb",
    ...quietGit,
  };
}

async function isOutside(folder: string, workspace: Workspace): Promise<boolean> {
  const real = await realpath(folder).catch(() => null);
  return real !== null && workspace.areaOf(real) === "outside";
}
