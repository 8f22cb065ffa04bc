/** A hook that is a shell command: JSON in, an exit code and text or JSON out. */

import { clip } from "../protocol/clip.ts";
import type { HookEvent } from "./events.ts";
import type { HookOutput } from "./output.ts";
import { parseOutput } from "./parse-output.ts";
import { runCommand, type CommandResult } from "./run-command.ts";
import type { CommandHook } from "./settings.ts";

/** What a command prints without being JSON is for the model at these events. */
const printsContext: readonly HookEvent[] = ["SessionStart", "UserPromptSubmit", "PreCompact"];

/** Characters of a reason or a failure that are shown. */
const maxReason = 4_000;

/** Exit code 2 blocks, with standard error as the reason; any other failure only warns the user. */
const blocks = 2;

export async function runHookCommand(
  hook: CommandHook,
  input: unknown,
  options: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<HookOutput> {
  const result = await runCommand(hook.command, {
    ...options,
    env: { ...options.env, CLAUDE_PROJECT_DIR: hook.folder },
    input: JSON.stringify(input),
    timeoutMs: hook.timeoutMs,
  });
  return outputOf(hook.event, result);
}

function outputOf(event: HookEvent, { code, stdout, stderr }: CommandResult): HookOutput {
  const reason = clip(stderr || stdout || "no reason given", maxReason);
  if (code === blocks) return { block: reason };
  if (code !== 0) throw new Error(`exit code ${code}: ${reason}`);
  const output = stdout.startsWith("{") ? parseOutput(jsonOf(stdout)) : null;
  if (output) return output;
  return printsContext.includes(event) && stdout !== "" ? { context: stdout } : {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
