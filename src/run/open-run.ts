/** A run that its owner drives: an editor, another program, or a client over standard input. */

import { AsyncQueue } from "../agent/async-queue.ts";
import type { Flags } from "../config/flags.ts";
import type { LogStore } from "../log/store.ts";
import type { Command } from "../protocol/command.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { chooseLog } from "./choose-log.ts";
import type { Run, RunOptions } from "./run-types.ts";
import { prepareRun } from "./run.ts";
import { loadStart, type StartOptions, withProject } from "./start.ts";

export type OpenRun = {
  options: StartOptions;
  log: LogStore;
  run: Run;
  events: AsyncGenerator<AgentEvent, void>;
  send(command: Command): void;
  /** What to report to the user besides what the start has found, one sentence each. */
  notices: readonly string[];
  close(): Promise<void>;
};

type OpenOptions = Partial<Pick<RunOptions, "agents" | "onSubagentEvent" | "addHooks">> & {
  /** The name of a new session. */
  name?: string | undefined;
  /** Where a new session is kept; absent: where the others are. */
  paths?: StartOptions["paths"];
};

/** Throws with a sentence. */
export async function openRun(
  options: StartOptions,
  { name, paths = options.paths, ...more }: OpenOptions = {},
): Promise<OpenRun> {
  const log = await chooseLog(options.flags.session, options.paths, name, paths.projectSessions);
  const run = await prepareRun({ ...options, paths, ...more, log });
  const commands = new AsyncQueue<Command>();
  return {
    options,
    log,
    run,
    events: run.agent.run(commands),
    send: (command) => commands.push(command),
    notices: [...log.repairs, ...run.notices],
    async close() {
      commands.close();
      await run.close();
    },
  };
}

/** The start of a program: nobody is asked whether the folder is trusted. Throws with a sentence. */
export async function startForProgram(
  flags: Flags,
  env: StartOptions["env"],
  cwd: string,
): Promise<StartOptions> {
  const start = await withProject(await loadStart(flags, env, cwd), null);
  if (typeof start === "number") throw new Error("The folder cannot be opened.");
  return start;
}
