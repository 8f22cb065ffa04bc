/** The user's own shell commands around a compaction. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Shell commands from the settings file. */
type HookCommands = { preCompact?: string | undefined; postCompact?: string | undefined };

export type UserHooks = {
  /**
   * Runs before a summary is written, with what triggered it in MINI_CLAUDE_TRIGGER. What the command
   * prints is added to the summary's instructions. When it fails, its output is the reason for the
   * veto. Rejects when the command times out.
   */
  preCompact?(
    trigger: string,
    signal?: AbortSignal,
  ): Promise<{ veto?: string; instructions?: string }>;
  /** Runs after a compaction, with the summary on standard input. Rejects when it times out. */
  postCompact?(summary: string): Promise<void>;
};

/** The workspace, the environment of the commands, and how long one may take, in milliseconds. */
type HookOptions = { cwd: string; env: Record<string, string>; timeoutMs?: number };

export function userHooks(commands: HookCommands, options: HookOptions): UserHooks {
  const { preCompact, postCompact } = commands;
  return {
    ...(preCompact && {
      async preCompact(trigger, signal) {
        const env = { ...options.env, MINI_CLAUDE_TRIGGER: trigger };
        const { code, stdout, stderr } = await run(preCompact, "", { ...options, env }, signal);
        if (code === 0) return stdout === "" ? {} : { instructions: stdout };
        return { veto: stderr || stdout || `exit code ${code}` };
      },
    }),
    ...(postCompact && {
      postCompact: async (summary) => void (await run(postCompact, summary, options)),
    }),
  };
}

/**
 * Runs a shell command until its shell ends. Output goes to files, not to pipes: a program that the
 * command leaves in the background would hold a pipe open.
 */
async function run(
  command: string,
  input: string,
  { cwd, env, timeoutMs = 30_000 }: HookOptions,
  signal?: AbortSignal,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), "mini-claude-hook-"));
  const stdout = join(folder, "stdout");
  const stderr = join(folder, "stderr");
  try {
    const child = Bun.spawn(["bash", "-c", command], {
      cwd,
      env,
      stdin: new Blob([input]),
      stdout: Bun.file(stdout),
      stderr: Bun.file(stderr),
      detached: true,
    });
    let timedOut = false;
    const kill = (): void => killGroup(child.pid);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    signal?.addEventListener("abort", kill);
    if (signal?.aborted) kill();
    const code = await child.exited;
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
    if (timedOut) throw new Error(`it was stopped after ${timeoutMs / 1000} s.`);
    return { code, stdout: await readStart(stdout), stderr: await readStart(stderr) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The command and everything it started. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** Bytes of output that are used. */
const maxBytes = 4_000;

const readStart = async (file: string): Promise<string> =>
  (await Bun.file(file).slice(0, maxBytes).text()).trim();
