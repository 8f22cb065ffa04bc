import type { ContextFact } from "../../protocol/entry.ts";
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
type Git = (args: readonly string[]) => Promise<string | null>;

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
    `Today: ${localDate(now)}`,
    `Permission mode: ${mode}`,
    ...(git === null ? [] : [await gitState(git)]),
  ];
  return {
    type: "context",
    kind: "environment",
    title: "environment",
    content: [{ type: "text", text: lines.join("\n") }],
  };
}

function localDate(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

async function gitState(git: Git): Promise<string> {
  const branch = await git(["rev-parse", "--abbrev-ref", "HEAD"]);
  if (branch === null) return "Git: not a repository, no commit yet, or an unusual configuration";
  const status = await git(["status", "--porcelain", "--ignore-submodules=all"]);
  return `Git: branch ${branch}, ${status === null ? "changes unknown" : changesIn(status)}`;
}

function changesIn(status: string): string {
  if (status === "") return "no changes";
  const files = status.split("\n").length;
  return files === 1 ? "1 file changed" : `${files} files changed`;
}
