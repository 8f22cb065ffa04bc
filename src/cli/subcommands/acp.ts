/** `mini-claude acp`: sessions for an editor. */

import { randomUUID } from "node:crypto";
import { version } from "../../../package.json";
import type { Backend, BackendSession, OpenOptions } from "../../apps/acp/backend.ts";
import { resumedModel } from "../../agent/opening/opening.ts";
import { knownModels } from "../../model/catalog.ts";
import { parseFlags, type Flags } from "../../config/flags.ts";
import { pathsFor } from "../../config/paths.ts";
import { listAllSessions, listSessions } from "../../log/catalog.ts";
import { removeSession } from "../../log/remove.ts";
import { commandOf } from "../../print/print.ts";
import { sessionNamed } from "../choose-log.ts";
import { jobOf } from "../headless/job-of.ts";
import { openRun } from "../open-run.ts";
import { onUncaughtError, writeData, writeError } from "../output.ts";
import { readMeter } from "../read-meter.ts";

type Environment = Record<string, string | undefined>;

const acpHelp = `mini-claude acp [flags]   serve an editor over the Agent Client Protocol

Takes the flags of a run, such as --model, --permission-mode and --trust: see mini-claude --help.
`;

/** Takes the flags of a run, too. Returns the exit code. */
export async function runAcp(
  args: readonly string[],
  env: Environment,
  cwd: string,
): Promise<number> {
  const flags = parseFlags(args);
  if (flags.help) {
    writeData(acpHelp);
    return 0;
  }
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
  { cwd, addedFolders, mcpConfig, session }: OpenOptions,
  flags: Flags,
  env: Environment,
): Promise<BackendSession> {
  const opened = await openRun({
    flags: {
      ...flags,
      session: sessionNamed(session),
      mcp: { ...flags.mcp, configs: [...flags.mcp.configs, ...(mcpConfig ? [mcpConfig] : [])] },
    },
    env,
    cwd,
    addedFolders,
    name: randomUUID(),
  });
  const { log, run, options, events, send, notices, close } = opened;
  for (const sentence of notices) writeError(`${sentence}\n`);
  for (const sentence of run.notices) writeError(`${sentence}\n`);
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
      const { usedTokens, windowTokens, cost } = readMeter(log.path, run.rules, policy);
      return { usedTokens, windowTokens, costUsd: cost.session };
    },
    close,
  };
}
