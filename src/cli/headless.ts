import { AsyncQueue } from "../agent/async-queue.ts";
import { UsageError } from "../config/flags.ts";
import { printRun } from "../print/print.ts";
import type { Command } from "../protocol/command.ts";
import { chooseLog } from "./choose-log.ts";
import { onClosedPipe } from "./closed-pipe.ts";
import { onUncaughtError, writeData, writeError } from "./output.ts";
import { prepareRun } from "./run.ts";
import type { StartOptions } from "./start-options.ts";

/** Answers one prompt without a screen; returns the exit code. */
export async function runHeadless(options: StartOptions, prompt: string): Promise<number> {
  if (prompt === "")
    throw new UsageError("-p needs a prompt, as an argument or on standard input.");
  const { flags, notices, paths } = options;
  const log = await chooseLog(flags.session, paths);
  onUncaughtError();
  for (const sentence of [...notices, ...log.repairs]) writeError(`${sentence}\n`);
  const run = await prepareRun({ ...options, log });
  writeError(`mini-claude: ${run.model.label}, session ${log.session}\n`);
  const commands = new AsyncQueue<Command>();
  const stop = (): void => commands.push({ type: "stop" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  onClosedPipe(stop);
  commands.push({ type: "prompt", content: [{ type: "text", text: prompt }] });
  try {
    return await printRun({
      events: run.agent.run(commands),
      send: (command) => commands.push(command),
      format: flags.headless.output,
      session: log.session,
      prices: run.rules.prices,
      out: writeData,
      log: writeError,
    });
  } finally {
    commands.close();
    await run.close();
  }
}
