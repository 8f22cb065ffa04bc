import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncQueue } from "../../agent/async-queue.ts";
import { UsageError } from "../../config/flags.ts";
import type { HeadlessFlags } from "../../config/headless-flags.ts";
import type { Paths } from "../../config/paths.ts";
import type { ControlChannel } from "../../control/channel.ts";
import { readAgents, type ClientAgent, type Initialize } from "../../control/initialize.ts";
import type { LogStore } from "../../log/store.ts";
import { uuidOf } from "../../print/ids.ts";
import { JobQueue } from "../../print/job-queue.ts";
import { RunStats } from "../../print/run-stats.ts";
import type { Command } from "../../protocol/command.ts";
import type { Entry } from "../../protocol/entry.ts";
import { chooseLog } from "../choose-log.ts";
import { writeError } from "../output.ts";
import type { CommandInfo } from "../prompt-files.ts";
import { prepareRun } from "../run.ts";
import type { Run } from "../run-types.ts";
import type { StartOptions } from "../start-options.ts";
import { registerClientHooks } from "./client-hooks.ts";

/** A run, what it has to do, and what it has done. */
export type HeadlessRun = {
  options: StartOptions;
  log: LogStore;
  run: Run;
  /** Commands and skills. */
  custom: readonly CommandInfo[];
  jobs: JobQueue;
  stats: RunStats;
  commands: AsyncQueue<Command>;
  /** The model of the next turn. */
  model: string;
  /** Called with what subagents log; `toolUse`: the call that started one. */
  onSubagentEntry: (toolUse: string, entry: Entry) => void;
};

/** Opens the session and prepares its run. What is wrong with settings and log goes to standard error. */
export async function openHeadlessRun(
  start: StartOptions,
  wishes: Initialize,
  channel: ControlChannel | null,
): Promise<HeadlessRun> {
  const options = withWishes(start, wishes);
  const { session, headless } = options.flags;
  const paths = session.isTemporary ? temporaryPaths(options.paths) : options.paths;
  const name = isOurs(headless) ? undefined : randomUUID();
  const log = await chooseLog(session, options.paths, name, paths.projectSessions);
  for (const sentence of [...options.notices, ...log.repairs]) writeError(`${sentence}\n`);
  const jobs = new JobQueue();
  if (session.resumeAt !== undefined) jobs.push(rewindTo(session.resumeAt, log));
  const run = await prepareRun({
    ...options,
    paths,
    log,
    agents: [...agentsIn(options.flags.agents), ...wishes.agents],
    onSubagentEntry: (toolUse, entry) => opened.onSubagentEntry(toolUse, entry),
    ...(channel && {
      addHooks: (hooks, isSubagent) =>
        registerClientHooks(hooks, channel, wishes.hooks, isSubagent),
    }),
  });
  for (const sentence of run.notices) writeError(`${sentence}\n`);
  if (isOurs(headless)) writeError(`mini-claude: ${run.model.label}, session ${log.session}\n`);
  const opened: HeadlessRun = {
    options,
    log,
    run,
    custom: [],
    jobs,
    stats: new RunStats(run.modelName, (model) => run.model.rules(model)),
    commands: new AsyncQueue<Command>(),
    model: run.modelName,
    onSubagentEntry: () => undefined,
  };
  return opened;
}

/** Formats of our own; sessions have our names there, and UUIDs in the others. */
const isOurs = ({ output }: HeadlessFlags): boolean => output === "text" || output === "events";

/** A folder for all that a session writes, removed when the program ends. */
function temporaryPaths(paths: Paths): Paths {
  const folder = mkdtempSync(join(tmpdir(), "mini-claude-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    ...paths,
    projectSessions: join(folder, "sessions"),
    toolResults: join(folder, "tool-results"),
    checkpoints: join(folder, "checkpoints"),
  };
}

/** Throws `UsageError`. */
function agentsIn(json: string | undefined): ClientAgent[] {
  if (json === undefined) return [];
  try {
    return readAgents(JSON.parse(json));
  } catch {
    const form = '{"name": {"description": "…", "prompt": "…", "tools": ["Read"]}}';
    throw new UsageError(`--agents must be JSON such as ${form}.`);
  }
}

/** What the client asks for when it connects is added to the flags. */
function withWishes(options: StartOptions, wishes: Initialize): StartOptions {
  const { jsonSchema, servers, hooks: _, agents: __, ...prompts } = wishes;
  const { flags } = options;
  const headless = { ...flags.headless, ...(jsonSchema ? { jsonSchema } : {}) };
  const sdk = Object.fromEntries(servers.map((name) => [name, { type: "sdk" }]));
  const ofClient = servers.length === 0 ? [] : [JSON.stringify({ mcpServers: sdk })];
  const mcp = { ...flags.mcp, configs: [...flags.mcp.configs, ...ofClient] };
  return {
    ...options,
    flags: { ...flags, mcp, headless, prompts: { ...flags.prompts, ...prompts } },
  };
}

/** Continues from the message that was printed under this UUID. Throws `UsageError`. */
function rewindTo(uuid: string, log: LogStore) {
  const found = log.path.find((entry) => {
    const blocks = entry.type === "assistant" ? entry.content.length : 1;
    return Array.from({ length: blocks }, (_, index) => uuidOf(entry, index)).includes(uuid);
  });
  if (!found) throw new UsageError(`--resume-session-at: the session has no message ${uuid}.`);
  const command = { type: "rewind", to: found.id, files: false, conversation: true } as const;
  return { kind: "change", command } as const;
}
