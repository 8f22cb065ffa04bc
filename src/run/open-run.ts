/** The door of this room: a run that its owner drives, such as an editor, a program or a client. */

import { type Evidence, findEvidence } from "../context/evidence.ts";
import { AsyncQueue } from "../base/async-queue.ts";
import type { Flags, SessionFlags } from "../config/flags.ts";
import { measure } from "../context/meter/meter.ts";
import type { MeterReading } from "../context/types.ts";
import { systemClock } from "../base/clock.ts";
import type { AgentCommand } from "../protocol/command.ts";
import type { Environment } from "../base/environment.ts";
import type { RunOptions } from "./run-options.ts";
import { prepareRun } from "./run.ts";
import { type StartOptions, loadStart, withProject } from "./start.ts";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError, orUsageError } from "../config/usage-error.ts";
import type { Paths } from "../config/paths.ts";
import { findSession, isOfUser, latestSession, listSessions } from "../log/catalog.ts";
import { homelessSessions, moveSession, sessionsBefore } from "../log/moved-sessions.ts";
import { forkLog } from "../log/store.ts";
import { type LogStore, createLog, openLog } from "../log/store.ts";
import { terminalLine } from "../base/escape-terminal.ts";
import type { Progress } from "../base/long-work.ts";

export type { StartOptions } from "./start.ts";

export type OpenRun = Awaited<ReturnType<typeof openRun>>;

export type OpenOptions = Partial<
  Pick<RunOptions, "agents" | "onSubagentEvent" | "askInBackground" | "addHooks" | "isUnattended">
> & {
  /** The name of a new session. */
  name?: string | undefined;
  /** Folders for a new session; absent: the usual ones. */
  paths?: StartOptions["paths"];
  /** The run continues after an answer, so background subagents may report. */
  staysOpen?: boolean;
};

/** Throws with a sentence. */
export async function openRun(
  options: StartOptions,
  { name, paths = options.paths, staysOpen = false, ...more }: OpenOptions = {},
) {
  const log = await chooseLog(options.flags.session, options.paths, {
    newName: name,
    folder: paths.projectSessions,
  });
  const commands = new AsyncQueue<AgentCommand>();
  const send = (command: AgentCommand): void => commands.push(command);
  const run = await prepareRun({ ...options, paths, ...more, ...(staysOpen && { send }), log });
  run.toolbox.background.tellEnds((ended) => send({ type: "news", ...ended }));
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
      measure(run.live.view, run.agent.rules, options.settings, systemClock.now()),
    /** Rules in view, and unused context. */
    evidence: (): Evidence => findEvidence(run.live.view, run.agent.rules),
    async close(): Promise<void> {
      commands.close();
      await run.close();
    },
  };
}

/** Starts a run for a program, without the trust question. Throws with a sentence. */
export const startForProgram = async (
  flags: Flags,
  env: Environment,
  cwd: string,
): Promise<StartOptions> => withProject<never>(await loadStart(flags, env, cwd), null);

type ChooseOptions = {
  /** The name of a new session, unless a flag names it. */
  newName?: string | undefined;
  /** Folder of a new session. */
  folder?: string;
  /** Shows how much of a long session is read. */
  progress?: Progress;
};

/**
 * The log that this run writes to: a new one, the latest of the folder, the named one (a unique
 * prefix is enough), or a copy of it. Throws `UsageError` or `LogError`.
 */
export async function chooseLog(
  { resume, fork, sessionId }: SessionFlags,
  paths: Paths,
  { newName, folder = paths.projectSessions, progress }: ChooseOptions = {},
): Promise<LogStore> {
  const name = sessionId ?? newName;
  if (sessionId !== undefined && existsSync(join(paths.projectSessions, `${sessionId}.jsonl`)))
    throw new UsageError(`There is already a session ${sessionId}; continue it with --resume.`);
  if (resume.kind === "new") return createLog(folder, name);
  const file = await findLogFile(resume, paths);
  const copies = fork || folder !== paths.projectSessions;
  if (copies) return openLog(forkLog(file, null, folder, name));
  const megabytes = Math.ceil(statSync(file).size / 1e6);
  const onRead = (bytes: number): void => progress?.(Math.floor(bytes / 1e6), megabytes, "MB read");
  const log = openLog(file, { onRead });
  if (log.readOnly === null) return log;
  await log.close();
  throw new UsageError(`${log.readOnly} It cannot be resumed; export or fork it instead.`);
}

/** Sessions that `--resume` without a name lists. */
const listed = 10;

async function findLogFile(resume: SessionFlags["resume"], paths: Paths): Promise<string> {
  const folder = paths.projectSessions;
  if (resume.kind === "session") {
    const { id } = resume;
    const here = await listSessions(folder, id);
    const homeless = here.length > 0 || id === "" ? [] : await homelessSessions(paths.sessions);
    const named = homeless.filter(({ session }) => session.startsWith(id));
    const [only] = named;
    if (only && named.length === 1) return moveSession(only, folder);
    return orUsageError(() => findSession(here, id)).file;
  }
  const latest = await latestSession(folder);
  if (latest === null) {
    const [last] = await sessionsBefore(paths.sessions, paths.cwd);
    const hint = resume.kind === "latest" ? "; start one without --continue" : "";
    throw new UsageError(
      last
        ? `This folder has no session yet. If it was ${last.cwd} before, which is gone, continue its latest session here: mini-claude --resume ${last.session}`
        : `This folder has no session yet${hint}.`,
    );
  }
  if (resume.kind === "latest") return latest.file;
  const own = (await listSessions(folder)).filter(isOfUser);
  const lines = own.slice(0, listed).map(({ session, title }) => {
    return `\n  ${session}  ${terminalLine(title, 60)}`;
  });
  throw new UsageError(`--resume needs the name of a session:${lines.join("")}`);
}
