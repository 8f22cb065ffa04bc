/** `mini-claude acp`: sessions for an editor. */

import { randomUUID } from "node:crypto";
import { version } from "../../../package.json";
import { resumedModel } from "../../agent/opening/opening.ts";
import { type Flags, parseFlags } from "../../config/flags.ts";
import { pathsFor } from "../../config/paths.ts";
import type { SubcommandIo } from "../../config/subcommands.ts";
import { readMeter } from "../../context/read-meter.ts";
import { listAllSessions, listSessions } from "../../log/catalog.ts";
import { removeSession } from "../../log/remove.ts";
import { knownModels } from "../../model/catalog.ts";
import { jobOf } from "../../print/jobs.ts";
import { onUncaughtError, writeError } from "../../print/output.ts";
import { commandOf } from "../../print/print.ts";
import { sessionNamed } from "../../run/choose-log.ts";
import { openRun, startForProgram } from "../../run/open-run.ts";
import type { Backend, BackendSession, OpenOptions } from "./backend.ts";

export const help = `mini-claude acp [flags]   serve an editor over the Agent Client Protocol

Takes the flags of a run, such as --model, --permission-mode and --trust: see mini-claude --help.
`;

/** Takes the flags of a run, too. Returns the exit code. */
export async function run(args: readonly string[], { env, cwd }: SubcommandIo): Promise<number> {
  const flags = parseFlags(args);
  onUncaughtError();
  const backend: Backend = {
    version,
    open: (options) => openSession(options, flags, env),
    async remove(id) {
      const all = await listAllSessions(pathsFor(env, cwd).sessions);
      const found = all.find(({ session }) => session === id);
      if (!found) throw new Error(`There is no session ${id}.`);
      removeSession(found.file);
    },
    list: async (folder) => {
      const { sessions, projectSessions } = pathsFor(env, folder ?? cwd);
      return folder === null ? listAllSessions(sessions) : listSessions(projectSessions);
    },
  };
  const { serveAcp } = await import("./serve.ts");
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

/** Opens a session as a run that a program drives; `flags` are those of the whole process. */
async function openSession(
  { cwd, addedFolders, mcpConfig, session }: OpenOptions,
  flags: Flags,
  env: SubcommandIo["env"],
): Promise<BackendSession> {
  const configs = [...flags.mcp.configs, ...(mcpConfig ? [mcpConfig] : [])];
  const ofSession = { ...flags, session: sessionNamed(session), mcp: { ...flags.mcp, configs } };
  const start = await startForProgram(ofSession, env, cwd);
  const addDirs = [...start.settings.addDirs, ...addedFolders];
  const options = { ...start, settings: { ...start.settings, addDirs } };
  const opened = await openRun(options, { name: randomUUID() });
  const { log, run, events, send, notices, close } = opened;
  for (const sentence of [...options.notices, ...notices]) writeError(`${sentence}\n`);
  let effort = options.settings.effort ?? null;
  const custom = await run.commands();
  return {
    id: log.session,
    history: [...log.path],
    events,
    send(command) {
      if (command.type === "effort") effort = command.effort;
      send(command);
    },
    commandFor: (content) => commandOf(jobOf(content)),
    mode: () => run.toolbox.mode,
    models: run.modelName.startsWith("claude") ? knownModels : [run.modelName],
    choice: () => ({ model: resumedModel(log.path) ?? run.modelName, effort }),
    commands: [
      { name: "compact", description: "Summarize the conversation", hint: "focus" },
      ...custom.map(({ name, description, argumentHint }) => {
        return { name, description, hint: argumentHint };
      }),
    ],
    meter() {
      const { policy } = options.settings;
      const { usedTokens, windowTokens, cost } = readMeter(
        log.path,
        run.agent.rules,
        policy,
        Date.now(),
      );
      return { usedTokens, windowTokens, costUsd: cost.session };
    },
    close,
  };
}
