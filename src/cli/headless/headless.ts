/** A run without a screen: one prompt, or a client that drives it. */

import { UsageError } from "../../config/flags.ts";
import type { HeadlessFlags } from "../../config/headless-flags.ts";
import { readInitialize } from "../../control/initialize.ts";
import { printRun } from "../../print/print.ts";
import type { Command } from "../../protocol/command.ts";
import { onClosedPipe } from "../closed-pipe.ts";
import { onUncaughtError, writeError } from "../output.ts";
import type { StartOptions } from "../start-options.ts";
import { approverFor } from "./approve.ts";
import { connectClientServers } from "./client-servers.ts";
import { openChannel, serveClient } from "./client.ts";
import { openHeadlessRun, type HeadlessRun } from "./headless-run.ts";
import { jobOf } from "./job-of.ts";
import { shapeFor } from "./shape-for.ts";
import { missingAnswer } from "./structured-answer.ts";

/** Returns the exit code. */
export async function runHeadless(start: StartOptions, prompt: string): Promise<number> {
  checkFlags(start.flags.headless, prompt);
  onUncaughtError();
  const channel = start.flags.headless.input === "stream-json" ? openChannel() : null;
  const wishes = readInitialize(await channel?.initialize);
  const opened = await openHeadlessRun(start, wishes, channel);
  const { options, run, jobs, stats, commands } = opened;
  const { permissionPromptTool: tool, jsonSchema } = options.flags.headless;
  const send = (command: Command): void => commands.push(command);
  leaveOnSignals(opened);
  const servers = channel ? connectClientServers(run.mcp, channel) : new Map();
  run.mcp?.reportFailures((sentence) => writeError(`${sentence}\n`));
  await run.mcp?.ready();
  opened.custom = await run.commands();
  if (prompt !== "") jobs.push(jobOf([{ type: "text", text: prompt }]));
  if (channel) serveClient(opened, channel, servers);
  else jobs.close();
  const shape = shapeFor(opened);
  opened.onSubagentEntry = (toolUse, entry) => {
    if (entry.type === "assistant") stats.noteCalls(entry);
    shape.nested?.(toolUse, entry);
  };
  try {
    return await printRun({
      events: run.agent.run(commands),
      send,
      jobs,
      stats,
      shape,
      approve: approverFor({ tool, channel, toolbox: run.toolbox, send }),
      ...(jsonSchema ? { missing: missingAnswer() } : {}),
    });
  } finally {
    commands.close();
    await run.close();
  }
}

function checkFlags({ input, permissionPromptTool: tool }: HeadlessFlags, prompt: string): void {
  if (input === "text" && prompt === "")
    throw new UsageError("-p needs a prompt, as an argument or on standard input.");
  if (tool === undefined || tool.startsWith("mcp__")) return;
  if (tool !== "stdio")
    throw new UsageError("--permission-prompt-tool must be stdio or the tool of an MCP server.");
  if (input === "text")
    throw new UsageError("--permission-prompt-tool stdio needs --input-format stream-json.");
}

/** Stops the turn and does nothing that waits. */
function leaveOnSignals({ jobs, commands }: HeadlessRun): void {
  const leave = (): void => {
    jobs.close({ drop: true });
    commands.push({ type: "stop" });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, leave);
  onClosedPipe(leave);
}
