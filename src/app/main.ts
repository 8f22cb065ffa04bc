/** Reads the command line, runs what it asks for, and returns the exit code. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Flags, UsageError } from "../config/flags.ts";
import { realHome } from "../config/paths.ts";
import { helpText } from "../config/help.ts";
import type { Settings } from "../config/settings.ts";
import { readInput } from "../headless/standard-input.ts";
import { writeError } from "../headless/print/output.ts";
import type { Environment } from "../base/environment.ts";
import { fitHelp } from "../base/fit.ts";
import { errorMessage } from "../base/format.ts";
import type { TrustDecision } from "../trust/project/project.ts";
import { versionText } from "./quick-answer.ts";
import { runSubcommand } from "./subcommands.ts";

/** The exit codes that the manual lists. */
const failed = 1;
const usageError = 2;

/**
 * The engine compiles hot code so many times later than usual: on two cores its compiler competes with the screen.
 * A streamed answer takes 0.6 of the processor time, 20 tool turns 12 MiB less.
 */
const jitReluctance = 20;

export async function main(
  parse: () => Flags,
  env: Environment,
  folder: () => string,
): Promise<number> {
  Bun.unsafe.setJITPolicy(jitReluctance);
  let verbose = false;
  try {
    const flags = parse();
    verbose = flags.verbose;
    if (flags.version) return print(versionText);
    if (flags.help) return print(fitHelp(helpText));
    const cwd = currentFolder(folder);
    if (flags.command) return await runSubcommand(flags.command, { env, cwd });
    return await start(flags, env, cwd);
  } catch (error) {
    const stack = verbose && error instanceof Error ? error.stack : undefined;
    writeError(`${stack ?? `mini-claude: ${errorMessage(error)}`}\n`);
    return error instanceof UsageError ? usageError : failed;
  }
}

function currentFolder(folder: () => string): string {
  try {
    const cwd = folder();
    if (existsSync(cwd)) return cwd;
  } catch (error) {
    throw new UsageError("The current folder is gone. Start in another one.", { cause: error });
  }
  throw new UsageError("The name of the current folder is not UTF-8. Start in another one.");
}

/** In the worktree that the flags ask for, or in the folder. */
async function start(flags: Flags, env: Environment, cwd: string): Promise<number> {
  if (flags.worktree === undefined) return startInFolder(flags, env, cwd);
  const { enterWorktree } = await import("./worktree.ts");
  const { folder, leave } = await enterWorktree(flags.worktree, { cwd, env });
  try {
    return await startInFolder(flags, env, folder);
  } finally {
    writeError(await leave());
  }
}

async function startInFolder(flags: Flags, env: Environment, cwd: string): Promise<number> {
  const { loadStart, withProject } = await import("../run/start.ts");
  const begun = await loadStart(flags, env, cwd);
  const hasTerminal = process.stdin.isTTY;
  const hasClient = flags.headless.input === "stream-json";
  const piped = hasTerminal || hasClient ? "" : await readInput(flags.prompt !== "");
  const hasInput = piped !== null && piped.trim() !== "";
  const isHeadless = flags.print || hasInput || hasClient;
  if (!isHeadless && (!hasTerminal || !process.stdout.isTTY)) {
    throw new UsageError("This is not a terminal; use -p with a prompt.");
  }
  const { settings } = begun;
  const options = await withProject(
    begun,
    isHeadless ? null : (root, asks, isTrusted) => ask(root, asks, isTrusted, { settings, env }),
  );
  if (typeof options === "number") return options;
  if (isHeadless) {
    if (piped === null) writeError("No input arrived on standard input; continuing.\n");
    const { runHeadless } = await import("../headless/headless.ts");
    return runHeadless(options, [flags.prompt, ...(hasInput ? [piped] : [])].join("\n\n").trim());
  }
  const { runInteractive } = await import("./interactive.ts");
  return runInteractive(options);
}

async function ask(
  root: string,
  asks: readonly string[],
  isTrusted: boolean,
  { settings, env }: { settings: Settings; env: Environment },
): Promise<TrustDecision | number> {
  const { askTrust } = await import("../ui/components/question/trust.ts");
  const offersAuto =
    settings.permissionMode === "default" && !isTrusted && (await hasAuto(root, realHome(env)));
  const asked = askTrust({ folder: root, asks, isTrusted, offersAuto }, settings);
  setTimeout(() => void loadScreen(), whileReadingMs).unref();
  const answer = await asked;
  if (answer !== "auto") return answer;
  settings.permissionMode = "auto";
  return "trusted";
}

/** Once the question is drawn, in milliseconds. */
const whileReadingMs = 200;

/** Preloads the screen while the user reads the question, so the switch shows the shell only briefly. */
const loadScreen = (): Promise<unknown> =>
  Promise.all([import("./interactive.ts"), import("../ui/app.ts")]).catch(() => undefined);

/** Whether commands can be confined there, and the folder holds no keys. */
async function hasAuto(root: string, home: string): Promise<boolean> {
  const { confinerFor } = await import("../trust/sandbox/sandbox.ts");
  const { holdsKeys } = await import("../trust/files/sensitive.ts");
  const own = join(home, ".mini-claude");
  return (
    !holdsKeys(root, { home, own, results: own }) && "program" in (await confinerFor([root], home))
  );
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
