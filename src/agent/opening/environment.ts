import type { ContextFact } from "../../protocol/entry.ts";
import type { PermissionMode } from "../../protocol/permission.ts";

/** What the model should know of the machine and the moment. News of it is appended later on. */
export async function describeEnvironment(
  cwd: string,
  addedFolders: readonly string[],
  mode: PermissionMode,
  now: Date,
  env: Record<string, string>,
): Promise<ContextFact> {
  const git = await gitState(cwd, env);
  const lines = [
    `Working folder: ${cwd}`,
    ...addedFolders.map((folder) => `Added folder: ${folder}`),
    `Platform: ${process.platform} ${process.arch}`,
    `Today: ${now.toISOString().slice(0, 10)}`,
    `Permission mode: ${mode}`,
    git,
  ];
  const text = lines.join("\n");
  return {
    type: "context",
    kind: "environment",
    title: "environment",
    content: [{ type: "text", text }],
  };
}

async function gitState(cwd: string, env: Record<string, string>): Promise<string> {
  const branch = await git(cwd, env, ["rev-parse", "--abbrev-ref", "HEAD"]);
  if (branch === null) return "Git: not a repository, or no commit yet";
  const changes = await git(cwd, env, ["status", "--porcelain"]);
  const changed = changes === null || changes === "" ? 0 : changes.split("\n").length;
  return `Git: branch ${branch}, ${changed === 0 ? "nothing changed" : `${changed} files changed`}`;
}

/** Output of a git command, or null. Hooks and fsmonitor of a hostile repository do not run. */
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
        timeout: 2_000,
      },
    );
    const text = await child.stdout.text();
    return (await child.exited) === 0 ? text.trim() : null;
  } catch {
    return null;
  }
}
