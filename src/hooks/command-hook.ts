/** A hook that is a shell command: JSON in, an exit code and text or JSON out. */

import { clip } from "../protocol/clip.ts";
import { parseJson } from "../protocol/guards.ts";
import { withEnvFile } from "./env-file.ts";
import type { HookEvent } from "./events.ts";
import type { HookOutput } from "./output.ts";
import { parseOutput } from "./parse-output.ts";
import { runCommand, type CommandResult } from "./run-command.ts";
import type { CommandHook } from "./settings.ts";

/** Events at which the output of a command, if it is not JSON, is shown to the model. */
const printsContext: readonly HookEvent[] = ["SessionStart", "UserPromptSubmit", "PreCompact"];

/** Characters of a reason or a failure that are shown. */
const maxReason = 4_000;

/** Exit code 2 blocks, with standard error as the reason; any other failure only warns the user. */
const blocks = 2;

type HookCommandOptions = {
  cwd: string;
  env: Record<string, string>;
  signal: AbortSignal;
  /** Called with variables that commands are to get from now on. */
  addVariables: ((variables: Record<string, string>) => void) | undefined;
};

export async function runHookCommand(
  { command, event, folder, timeoutMs }: CommandHook,
  input: unknown,
  { addVariables, ...options }: HookCommandOptions,
): Promise<HookOutput> {
  const env = { ...options.env, CLAUDE_PROJECT_DIR: folder };
  const how = { ...options, env, timeoutMs };
  const run = (with_: Record<string, string>) =>
    runCommand(command, { ...how, env: with_, input: JSON.stringify(input) });
  if (event !== "SessionStart" || !addVariables) return outputOf(event, await run(env));
  const { result, variables } = await withEnvFile(how, run);
  addVariables(variables);
  return outputOf(event, result);
}

function outputOf(event: HookEvent, { code, stdout, stderr }: CommandResult): HookOutput {
  const reason = clip(stderr || stdout || "no reason given", maxReason);
  if (code === blocks) return { block: reason };
  if (code !== 0) throw new Error(`exit code ${code}: ${reason}`);
  const output = stdout.startsWith("{") ? parseOutput(parseJson(stdout)) : null;
  if (output) return output;
  return printsContext.includes(event) && stdout !== "" ? { context: stdout } : {};
}
