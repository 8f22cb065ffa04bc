import type { ContextFact } from "../../protocol/entry.ts";
import type { PermissionMode } from "../../protocol/permission.ts";

export type Surroundings = {
  cwd: string;
  addedFolders: readonly string[];
  mode: PermissionMode;
  /** For git. */
  env: Record<string, string>;
  now: Date;
};

/** What the model should know about the machine and the project. Later changes are appended as news. */
export async function describeEnvironment({
  cwd,
  addedFolders,
  mode,
  env,
  now,
}: Surroundings): Promise<ContextFact> {
  const lines = [
    `Working folder: ${cwd}`,
    ...addedFolders.map((folder) => `Added folder: ${folder}`),
    `Platform: ${process.platform} ${process.arch}`,
    `Today: ${localDate(now)}`,
    `Permission mode: ${mode}`,
    await gitState(cwd, env),
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

async function gitState(cwd: string, env: Record<string, string>): Promise<string> {
  const branch = await git(cwd, env, ["rev-parse", "--abbrev-ref", "HEAD"]);
  if (branch === null) return "Git: not a repository, or no commit yet";
  const status = await git(cwd, env, ["status", "--porcelain"]);
  return `Git: branch ${branch}, ${status === null ? "changes unknown" : changesIn(status)}`;
}

function changesIn(status: string): string {
  if (status === "") return "no changes";
  const files = status.split("\n").length;
  return files === 1 ? "1 file changed" : `${files} files changed`;
}

/** Longest time that one git command may take, in milliseconds. */
const gitMs = 2_000;

/**
 * Output of a git command; null when it fails or takes too long. Hooks and fsmonitor of a hostile
 * repository do not run, and what git leaves running ends with it.
 */
async function git(
  cwd: string,
  env: Record<string, string>,
  args: string[],
): Promise<string | null> {
  try {
    const child = Bun.spawn(
      ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args],
      {
        cwd,
        env: { ...env, GIT_OPTIONAL_LOCKS: "0" },
        stdin: "ignore",
        stderr: "ignore",
        detached: true,
      },
    );
    const timer = setTimeout(() => killGroup(child.pid), gitMs);
    const text = child.stdout.text();
    const code = await child.exited;
    clearTimeout(timer);
    killGroup(child.pid);
    return code === 0 ? (await text).trimEnd() : null;
  } catch {
    return null;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
