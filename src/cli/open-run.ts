import { AsyncQueue } from "../agent/async-queue.ts";
import type { Flags } from "../config/flags.ts";
import type { LogStore } from "../log/store.ts";
import type { Command } from "../protocol/command.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { chooseLog } from "./choose-log.ts";
import { loadStart, withProject } from "./load-start.ts";
import { prepareRun } from "./run.ts";
import type { Run } from "./run-types.ts";
import type { StartOptions } from "./start-options.ts";

export type OpenRun = {
  options: StartOptions;
  log: LogStore;
  run: Run;
  events: AsyncGenerator<AgentEvent, void>;
  send(command: Command): void;
  /** What to report to the user, one sentence each. */
  notices: readonly string[];
  close(): Promise<void>;
};

type OpenOptions = {
  flags: Flags;
  env: Record<string, string | undefined>;
  cwd: string;
  addedFolders?: readonly string[];
  /** The name of a new session. */
  name?: string;
};

/** A run for a program: nobody is asked whether the folder is trusted. Throws with a sentence. */
export async function openRun({
  flags,
  env,
  cwd,
  addedFolders = [],
  name,
}: OpenOptions): Promise<OpenRun> {
  const start = await withProject(await loadStart(flags, env, cwd), null);
  if (typeof start === "number") throw new Error("The folder cannot be opened.");
  const addDirs = [...start.settings.addDirs, ...addedFolders];
  const options = { ...start, settings: { ...start.settings, addDirs } };
  const log = await chooseLog(flags.session, options.paths, name);
  const run = await prepareRun({ ...options, log });
  const commands = new AsyncQueue<Command>();
  return {
    options,
    log,
    run,
    events: run.agent.run(commands),
    send: (command) => commands.push(command),
    notices: [...options.notices, ...log.repairs],
    async close() {
      commands.close();
      await run.close();
    },
  };
}
