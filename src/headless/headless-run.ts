import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { makeTemporary } from "../base/own-temporary.ts";
import { join } from "node:path";
import { type OpenOptions, openRun, type OpenRun, type StartOptions } from "../run/open-run.ts";
import { keySource } from "../config/credentials.ts";
import { UsageError } from "../config/flags.ts";
import type { HeadlessFlags } from "../config/flags.ts";
import type { Paths } from "../config/paths.ts";
import type { CommandInfo } from "../extensions/commands/prompt-files.ts";
import { mcpStatuses } from "../extensions/mcp/open-servers.ts";
import { type Approve, approverFor } from "./answering.ts";
import type { ControlChannel } from "./control/channel.ts";
import type { Initialize } from "./control/initialize.ts";
import { createPrinter } from "./print/printer.ts";
import { JobQueue } from "./print/print.ts";
import { writeData, writeError } from "./print/output.ts";
import { costsBySource } from "../context/meter/costs.ts";
import type { RunFacts } from "./print/stream-json.ts";
import { entryNamed } from "./print/messages.ts";
import type { LogStore } from "../log/store.ts";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";

/** A run and its jobs. */
export type HeadlessRun = OpenRun & {
  /** Commands and skills. */
  custom: readonly CommandInfo[];
  jobs: JobQueue;
  /** The model of the next turn. */
  model: string;
  /** An interruption leaves subagents in the background at work. */
  sparesBackground: boolean;
  /** Answers the questions of the run. */
  approve: Approve;
  printer: ReturnType<typeof createPrinter>;
};

type Client = {
  channel: ControlChannel;
  initialize: Initialize;
  addHooks: NonNullable<OpenOptions["addHooks"]>;
};

/** Opens the session and prepares its run. What is wrong with settings and log goes to standard error. */
export async function openHeadlessRun(
  start: StartOptions,
  client: Client | null,
): Promise<HeadlessRun> {
  const options = client ? withInitialize(start, client.initialize) : start;
  const { session, headless, agents } = options.flags;
  const open = await openRun(options, {
    name: isOurs(headless) ? undefined : randomUUID(),
    staysOpen: client !== null,
    paths: session.isTemporary ? temporaryPaths(options.paths) : options.paths,
    agents: [...(await parseAgents(agents)), ...(client?.initialize.agents ?? [])],
    onSubagentEvent: (subagent, event) => opened.printer.nested(subagent, event),
    askInBackground: (ask, signal) => opened.approve(ask, signal),
    isUnattended: headless.permissionPromptTool === undefined,
    ...(client && { addHooks: client.addHooks }),
  });
  const { log, run } = open;
  for (const sentence of open.notices) writeError(`${sentence}\n`);
  if (isOurs(headless)) writeError(`mini-claude: ${run.model.label}, session ${log.session}\n`);
  const jobs = new JobQueue();
  if (session.resumeAt !== undefined) jobs.push(rewindTo(session.resumeAt, log));
  const opened: HeadlessRun = {
    ...open,
    custom: [],
    jobs,
    model: run.modelName,
    sparesBackground: client?.initialize.stopsEachTask ?? false,
    approve: approverFor({
      tool: headless.permissionPromptTool,
      channel: client?.channel ?? null,
      toolbox: run.toolbox,
      send: open.send,
      mayBypass: mayBypass(start),
    }),
    printer: createPrinter({
      ...headless,
      verbose: options.flags.verbose,
      session: log.session,
      facts: () => factsOf(opened),
      costs: () => costsBySource(log.path, run.agent.rules),
      evidence: open.evidence,
      stateEvents: options.env["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] === "1",
      out: writeData,
      log: writeError,
      model: run.modelName,
      rulesOf: (model) => run.model.rules(model),
    }),
  };
  return opened;
}

/** Whether the start allows a client to turn approvals off. */
export const mayBypass = ({
  flags,
  settings,
}: Pick<HeadlessRun["options"], "flags" | "settings">): boolean =>
  settings.permissionMode === "bypass" ||
  flags.ignored.includes("allow-dangerously-skip-permissions");

/** Our own formats, which show our session names; the others show UUIDs. */
const isOurs = ({ output }: HeadlessFlags): boolean => output === "text" || output === "events";

/** A folder for all that a session writes, removed when the program ends. */
function temporaryPaths(paths: Paths): Paths {
  const folder = makeTemporary();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    ...paths,
    projectSessions: join(folder, "sessions"),
    toolResults: join(folder, "tool-results"),
    checkpoints: join(folder, "checkpoints"),
  };
}

/** Throws `UsageError`. */
async function parseAgents(json: string | undefined): Promise<SubagentDefinition[]> {
  if (json === undefined) return [];
  const { readAgents } = await import("./control/initialize.ts");
  try {
    return readAgents(JSON.parse(json));
  } catch {
    const form = '{"name": {"description": "…", "prompt": "…", "tools": ["Read"]}}';
    throw new UsageError(`--agents must be JSON such as ${form}.`);
  }
}

/** Adds the client's choices to the flags. */
function withInitialize(options: StartOptions, initialize: Initialize): StartOptions {
  const { flags } = options;
  const { system = flags.prompts.system, append = flags.prompts.append, servers } = initialize;
  const { jsonSchema = flags.headless.jsonSchema } = initialize;
  const sdk = Object.fromEntries(servers.map((name) => [name, { type: "sdk" }]));
  const ofClient = servers.length === 0 ? [] : [JSON.stringify({ mcpServers: sdk })];
  const mcp = { ...flags.mcp, configs: [...flags.mcp.configs, ...ofClient] };
  const headless = { ...flags.headless, jsonSchema };
  return { ...options, flags: { ...flags, mcp, headless, prompts: { system, append } } };
}

/** Continues from the message that was printed under this UUID. Throws `UsageError`. */
function rewindTo(uuid: string, log: LogStore) {
  const found = entryNamed(uuid, log.path);
  if (!found) throw new UsageError(`--resume-session-at: the session has no message ${uuid}.`);
  const command = { type: "rewind", to: found.id, files: false, conversation: true } as const;
  return { command };
}

function factsOf({ options, run, model, custom }: HeadlessRun): RunFacts {
  return {
    cwd: options.cwd,
    model,
    mode: run.toolbox.mode,
    tools: [...run.toolbox.definitions, ...(run.mcp?.tools() ?? [])].map(({ name }) =>
      name === "Agent" ? "Task" : name,
    ),
    mcp_servers: mcpStatuses(run.mcp),
    slash_commands: ["compact", ...custom.map(({ name }) => name)],
    agents: run.agents.map(({ name }) => name),
    skills: custom.flatMap(({ name, kind }) => (kind === "skill" ? [name] : [])),
    apiKeySource: keySource(options.settings, options.env).variable ?? "none",
    ...(options.unused.length === 0
      ? {}
      : {
          untrusted_folder: {
            folder: options.project.root,
            unused: options.unused,
            error:
              'This folder is not trusted, so its own files are not used. If your user trusts it, pass the setting {"trust": true}.',
          },
        }),
  };
}
