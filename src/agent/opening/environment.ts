import { counted } from "../../base/in-words.ts";
import { type ContextFact, contextFact } from "../../protocol/entry.ts";
import type { PermissionMode } from "../../protocol/permission.ts";

export type Surroundings = {
  cwd: string;
  addedFolders: readonly string[];
  mode: PermissionMode;
  /** Asks git about the project; null when the project is not trusted. */
  git: Git | null;
  now: Date;
};

/** The output of a git command; null when it has no answer. */
export type Git = (args: readonly string[]) => Promise<string | null>;

/** `changedFiles` is null if git does not say. */
export type GitState = { branch: string; changedFiles: number | null };

/** What the model should know about the machine and the project. Later changes are appended as news. */
export async function describeEnvironment({
  cwd,
  addedFolders,
  mode,
  git,
  now,
}: Surroundings): Promise<ContextFact> {
  const lines = [
    `Working folder: ${cwd}`,
    ...addedFolders.map((folder) => `Added folder: ${folder}`),
    `Platform: ${process.platform} ${process.arch}`,
    // Swedish dates are written like ISO's: 2026-11-24.
    `Today: ${now.toLocaleDateString("sv")}`,
    `Permission mode: ${mode}`,
    ...(git === null ? [] : [await gitLine(git)]),
  ];
  return contextFact("environment", "environment", lines.join("\n"));
}

/** null: not a repository, no commit yet, or a configuration that could run programs. */
export async function readGitState(git: Git): Promise<GitState | null> {
  const branch = await git(["rev-parse", "--abbrev-ref", "HEAD"]);
  if (branch === null) return null;
  const status = await git(["status", "--porcelain", "--ignore-submodules=all"]);
  const changedFiles = status === null ? null : status === "" ? 0 : status.split("\n").length;
  return { branch, changedFiles };
}

async function gitLine(git: Git): Promise<string> {
  const state = await readGitState(git);
  if (state === null) return "Git: not a repository, no commit yet, or an unusual configuration";
  return `Git: branch ${state.branch}, ${changesIn(state.changedFiles)}`;
}

function changesIn(files: number | null): string {
  if (files === null) return "changes unknown";
  if (files === 0) return "no changes";
  return `${counted(files, "file")} changed`;
}
