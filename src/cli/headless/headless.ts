/** A run without a screen: one prompt, or a client that drives it. */

import { randomUUID } from "node:crypto";
import { AsyncQueue } from "../../agent/async-queue.ts";
import { UsageError } from "../../config/flags.ts";
import type { HeadlessFlags } from "../../config/headless-flags.ts";
import type { LogStore } from "../../log/store.ts";
import { uuidOf } from "../../print/ids.ts";
import { JobQueue } from "../../print/job-queue.ts";
import { printRun } from "../../print/print.ts";
import { RunStats } from "../../print/run-stats.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Command } from "../../protocol/command.ts";
import { chooseLog } from "../choose-log.ts";
import { onClosedPipe } from "../closed-pipe.ts";
import { onUncaughtError, writeError } from "../output.ts";
import { prepareRun } from "../run.ts";
import type { StartOptions } from "../start-options.ts";
import { readInitialize } from "../../control/initialize.ts";
import { approverFor } from "./approve.ts";
import { connectClientServers, type ClientServers } from "./client-servers.ts";
import { registerClientHooks } from "./client-hooks.ts";
import { connectClient, openChannel, serveClient, withWishes } from "./client.ts";
import { jobOf } from "./job-of.ts";
import { shapeFor } from "./shape-for.ts";
import { missingAnswer } from "./structured-answer.ts";

/** Returns the exit code. */
export async function runHeadless(start: StartOptions, prompt: string): Promise<number> {
  const { headless, session } = start.flags;
  const channel = headless.input === "stream-json" ? openChannel() : null;
  if (channel === null && prompt === "")
    throw new UsageError("-p needs a prompt, as an argument or on standard input.");
  checkPermissionTool(headless);
  onUncaughtError();
  const wishes = readInitialize(await channel?.initialize);
  const options = withWishes(start, wishes);
  const log = await chooseLog(session, options.paths, isOurs(headless) ? undefined : randomUUID());
  for (const sentence of [...options.notices, ...log.repairs]) writeError(`${sentence}\n`);
  const nested: { entry?: (toolUse: string, entry: Entry) => void } = {};
  const run = await prepareRun({
    ...options,
    log,
    agents: wishes.agents,
    onSubagentEntry: (toolUse, entry) => nested.entry?.(toolUse, entry),
  });
  for (const sentence of run.notices) writeError(`${sentence}\n`);
  if (isOurs(headless)) writeError(`mini-claude: ${run.model.label}, session ${log.session}\n`);
  if (channel) registerClientHooks(run.hooks, channel, wishes.hooks);
  const servers: ClientServers = channel ? connectClientServers(run.mcp, channel) : new Map();
  const commands = new AsyncQueue<Command>();
  const jobs = new JobQueue();
  const send = (command: Command): void => commands.push(command);
  const leave = (): void => {
    jobs.close({ drop: true });
    send({ type: "stop" });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, leave);
  onClosedPipe(leave);
  if (session.resumeAt !== undefined) {
    const to = messageNamed(session.resumeAt, log);
    const rewind = { type: "rewind", to, files: false, conversation: true } as const;
    jobs.push({ kind: "change", command: rewind });
  }
  await run.mcp?.ready();
  const custom = await run.commands();
  const stats = new RunStats(run.modelName, (model) => run.model.rules(model));
  const client =
    channel && connectClient({ channel, options, run, servers, custom, log, jobs, stats, send });
  if (prompt !== "") jobs.push(jobOf([{ type: "text", text: prompt }]));
  if (client) serveClient(client);
  else jobs.close();
  const shape = shapeFor(options, run, log, custom, client);
  nested.entry = (toolUse, entry) => {
    if (entry.type === "assistant") stats.noteCalls(entry);
    shape.nested?.(toolUse, entry);
  };
  const events = run.agent.run(commands);
  try {
    return await printRun({
      events,
      send,
      jobs,
      stats,
      shape,
      approve: approverFor({
        tool: headless.permissionPromptTool,
        channel,
        toolbox: run.toolbox,
        send,
      }),
      ...(options.flags.headless.jsonSchema ? { missing: missingAnswer() } : {}),
    });
  } finally {
    commands.close();
    await run.close();
  }
}

/** Formats of our own; sessions have our names there, and UUIDs in the others. */
const isOurs = ({ output }: HeadlessFlags): boolean => output === "text" || output === "events";

function checkPermissionTool({ permissionPromptTool, input }: HeadlessFlags): void {
  if (permissionPromptTool === undefined || permissionPromptTool.startsWith("mcp__")) return;
  if (permissionPromptTool !== "stdio")
    throw new UsageError("--permission-prompt-tool must be stdio or the tool of an MCP server.");
  if (input !== "stream-json")
    throw new UsageError("--permission-prompt-tool stdio needs --input-format stream-json.");
}

/** The entry that was printed under this UUID. Throws `UsageError`. */
function messageNamed(uuid: string, log: LogStore): string {
  const found = log.path.find((entry) => {
    const blocks = entry.type === "assistant" ? entry.content.length : 1;
    return Array.from({ length: blocks }, (_, index) => uuidOf(entry, index)).includes(uuid);
  });
  if (found) return found.id;
  throw new UsageError(`--resume-session-at: the session has no message ${uuid}.`);
}
