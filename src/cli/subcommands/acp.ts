/** `mini-claude acp`: sessions for an editor. */

import { randomUUID } from "node:crypto";
import { version } from "../../../package.json";
import { AsyncQueue } from "../../agent/async-queue.ts";
import type { Backend, BackendSession, OpenOptions } from "../../apps/acp/backend.ts";
import { parseFlags, type Flags } from "../../config/flags.ts";
import { pathsFor } from "../../config/paths.ts";
import { listAllSessions, listSessions } from "../../log/catalog.ts";
import { commandOf } from "../../print/print.ts";
import type { Command } from "../../protocol/command.ts";
import { chooseLog, sessionNamed } from "../choose-log.ts";
import { jobOf } from "../headless/job-of.ts";
import { loadStart, withProject } from "../load-start.ts";
import { onUncaughtError, writeError } from "../output.ts";
import { readMeter } from "../read-meter.ts";
import { prepareRun } from "../run.ts";

type Environment = Record<string, string | undefined>;

/** Takes the flags of a run, too. Returns the exit code. */
export async function runAcp(
  args: readonly string[],
  env: Environment,
  cwd: string,
): Promise<number> {
  const flags = parseFlags(args);
  onUncaughtError();
  const backend: Backend = {
    version,
    open: (options) => openSession(options, flags, env),
    list: async (folder) => {
      const { sessions, projectSessions } = pathsFor(env, folder ?? cwd);
      return folder === null ? listAllSessions(sessions) : listSessions(projectSessions);
    },
  };
  const { serveAcp } = await import("../../apps/acp/serve.ts");
  const writer = Bun.stdout.writer();
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      writer.write(chunk);
      await writer.flush();
    },
  });
  await serveAcp(backend, { input: Bun.stdin.stream(), output });
  return 0;
}

async function openSession(
  { cwd, addedFolders, session }: OpenOptions,
  flags: Flags,
  env: Environment,
): Promise<BackendSession> {
  const start = await withProject(await loadStart(flags, env, cwd), null);
  if (typeof start === "number") throw new Error("The folder cannot be opened.");
  const settings = {
    ...start.settings,
    addDirs: [...start.settings.addDirs, ...addedFolders],
  };
  const log = await chooseLog(sessionNamed(session), start.paths, randomUUID());
  for (const sentence of [...start.notices, ...log.repairs]) writeError(`${sentence}\n`);
  const run = await prepareRun({ ...start, settings, log });
  const custom = await run.commands();
  const commands = new AsyncQueue<Command>();
  return {
    id: log.session,
    history: [...log.path],
    events: run.agent.run(commands),
    send: (command) => commands.push(command),
    commandFor: (content) => commandOf(jobOf(content)),
    mode: () => run.toolbox.mode,
    commands: [
      { name: "compact", description: "Summarize the conversation", hint: "focus" },
      ...custom.map(({ name, description, argumentHint }) => {
        return { name, description, hint: argumentHint };
      }),
    ],
    meter() {
      const { usedTokens, windowTokens, cost } = readMeter(log.path, run.rules, settings.policy);
      return { usedTokens, windowTokens, costUsd: cost.session };
    },
    async close() {
      commands.close();
      await run.close();
    },
  };
}
