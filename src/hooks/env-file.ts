/** Variables that a SessionStart hook leaves for commands, as a script that CLAUDE_ENV_FILE names. */

import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, type CommandOptions } from "./run-command.ts";

/** Variables of the shell itself. */
const ofShell = /^(?:_|PWD|OLDPWD|SHLVL|CLAUDE_ENV_FILE|CLAUDE_PROJECT_DIR)$/;

/** Calls `run` with an environment that names an empty file; then sources what was written to it. */
export async function withEnvFile<T>(
  options: Omit<CommandOptions, "input">,
  run: (env: Record<string, string>) => Promise<T>,
): Promise<{ result: T; variables: Record<string, string> }> {
  const folder = await mkdtemp(join(tmpdir(), "mini-claude-env-"));
  try {
    const file = join(folder, "env.sh");
    await writeFile(file, "", { mode: 0o600 });
    const env = { ...options.env, CLAUDE_ENV_FILE: file };
    const result = await run(env);
    if ((await stat(file)).size === 0) return { result, variables: {} };
    const script = 'set -a; . "$CLAUDE_ENV_FILE" >/dev/null; env -0';
    const { code, stdout, stderr } = await runCommand(script, { ...options, env, input: "" });
    if (code !== 0) throw new Error(`its CLAUDE_ENV_FILE failed: ${stderr}`);
    return { result, variables: changedIn(stdout, options.env) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function changedIn(output: string, before: Readonly<Record<string, string>>) {
  const changed = output.split("\0").flatMap((pair): [string, string][] => {
    const [, name = "", value = ""] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(pair) ?? [];
    return name === "" || ofShell.test(name) || before[name] === value ? [] : [[name, value]];
  });
  return Object.fromEntries(changed);
}
