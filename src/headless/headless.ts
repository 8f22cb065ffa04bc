/** A run without a screen: one prompt, or a client that drives it. */

import { type HeadlessFlags, UsageError } from "../config/flags.ts";
import { toCommand, missingAnswer } from "./print/print.ts";
import { ignoreLostErrors, onClosedPipe, onUncaughtError, writeError } from "./print/output.ts";
import { errorMessage } from "../base/format.ts";
import { answering } from "./answering.ts";
import { exitOnSignals, onSignals } from "../base/signals.ts";
import type { StartOptions } from "../run/open-run.ts";
import { type HeadlessRun, openHeadlessRun } from "./headless-run.ts";

/** Returns the exit code. */
export async function runHeadless(start: StartOptions, prompt: string): Promise<number> {
  checkFlags(start.flags.headless, prompt);
  onUncaughtError();
  ignoreLostErrors();
  exitOnSignals();
  const isDriven = start.flags.headless.input === "stream-json";
  const client = isDriven ? await (await import("./client.ts")).openClient() : null;
  const opened = await openHeadlessRun(start, client);
  const { options, run, events, send, jobs, close } = opened;
  const { jsonSchema } = options.flags.headless;
  const asked = leaveWhenAsked(opened);
  run.mcp?.reportFailures((sentence) => writeError(`${sentence}\n`));
  run.mcp?.start();
  await client?.connectServers(run.mcp);
  await run.mcp?.ready();
  opened.custom = await run.commands();
  if (prompt !== "") jobs.push({ command: toCommand([{ type: "text", text: prompt }]) });
  if (client) client.serve(opened);
  else jobs.close();
  const missing = jsonSchema && missingAnswer();
  let code = interrupted;
  try {
    if (asked.isLeaving) return asked.code ?? code;
    code = await opened.printer.run({
      events: answering(events, send, opened.approve),
      send,
      jobs,
      leaving: asked.left.promise,
      // Otherwise a stop between two turns would miss the next turn.
      missing: missing && ((report) => (asked.isLeaving ? { why: "stopped" } : missing(report))),
    });
  } finally {
    await close();
    await client?.channel.close();
    const left = await run.toolbox.leftRunning();
    if (left.length > 0) writeError(`Still running, outside the sandbox: ${left.join(", ")}\n`);
    asked.isOver = true;
    // After a signal or a failed write, the reader of our output may be gone: the exit waits only briefly for it.
    if (asked.code !== null) setTimeout(process.exit, lastWordsMs, asked.code).unref();
  }
  return asked.code ?? code;
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

/** How long output may take after a signal has ended the run, in milliseconds. */
const lastWordsMs = 1_000;

/** The exit codes that the manual lists. */
const failed = 1;
const interrupted = 130;

/** `code`: an exit code set from outside the run, such as by a signal. */
type LeaveState = {
  isLeaving: boolean;
  left: PromiseWithResolvers<void>;
  isOver: boolean;
  code: number | null;
};

/**
 * Stops the turn and drops the waiting jobs. A signal decides the exit code, even if the answer was
 * complete by then. Returns what has happened so far.
 */
function leaveWhenAsked({ jobs, send }: HeadlessRun): LeaveState {
  const left = Promise.withResolvers<void>();
  const asked: LeaveState = { isLeaving: false, left, isOver: false, code: null };
  const leave = (): void => {
    asked.isLeaving = true;
    left.resolve();
    jobs.close({ drop: true });
    send({ type: "stop" });
  };
  onSignals((code) => {
    // After this, only a reader that has stopped reading can keep the program alive.
    if (asked.isOver) process.exit(code);
    asked.code ??= code;
    leave();
  });
  onClosedPipe(leave, (error) => {
    if (asked.code === failed) return;
    asked.code = failed;
    // The write may fail only after the run has returned its code.
    process.exitCode = failed;
    writeError(`mini-claude: Standard output cannot be written: ${errorMessage(error)}\n`);
    leave();
  });
  return asked;
}
