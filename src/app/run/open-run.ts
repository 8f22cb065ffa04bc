/** The door of this room: a run that its owner drives, such as an editor, a program or a client. */

import { AsyncQueue } from "../../agent/async-queue.ts";
import type { Flags } from "../../config/flags.ts";
import { measure } from "../../context/meter/meter.ts";
import type { MeterReading } from "../../context/types.ts";
import { systemClock } from "../../base/clock.ts";
import type { Command } from "../../protocol/command.ts";
import type { Environment } from "../../base/environment.ts";
import { chooseLog } from "./choose-log.ts";
import type { RunOptions } from "./run-options.ts";
import { prepareRun } from "./run.ts";
import { loadStart, type StartOptions, withProject } from "./start.ts";

export type { StartOptions } from "./start.ts";

export type OpenRun = Awaited<ReturnType<typeof openRun>>;

export type OpenOptions = Partial<
  Pick<RunOptions, "agents" | "onSubagentEvent" | "addHooks" | "isUnattended">
> & {
  /** The name of a new session. */
  name?: string | undefined;
  /** Where a new session is kept; absent: where the others are. */
  paths?: StartOptions["paths"];
  /** It goes on after an answer, so that subagents may report from the background. */
  staysOpen?: boolean;
};

/** Throws with a sentence. */
export async function openRun(
  options: StartOptions,
  { name, paths = options.paths, staysOpen = false, ...more }: OpenOptions = {},
) {
  const log = await chooseLog(options.flags.session, options.paths, name, paths.projectSessions);
  await log.whole();
  const commands = new AsyncQueue<Command>();
  const send = (command: Command): void => commands.push(command);
  const run = await prepareRun({ ...options, paths, ...more, ...(staysOpen && { send }), log });
  run.toolbox.background.tellEnds((ended) => commands.push({ type: "news", ...ended }));
  return {
    options,
    log,
    run,
    events: run.agent.run(commands),
    send,
    /** Reports for the user, one sentence each. */
    notices: [...options.notices, ...log.repairs, ...run.notices],
    /** The tokens in the window, and their cost. */
    meter: (): MeterReading =>
      measure(run.live.view, run.agent.rules, options.settings.policy, systemClock.now()),
    async close(): Promise<void> {
      commands.close();
      await run.close();
    },
  };
}

/** The start of a program: nobody is asked whether the folder is trusted. Throws with a sentence. */
export const startForProgram = async (
  flags: Flags,
  env: Environment,
  cwd: string,
): Promise<StartOptions> => withProject<never>(await loadStart(flags, env, cwd), null);
