import { AsyncQueue } from "../agent/async-queue.ts";
import { detectLocalServers } from "../model/detect.ts";
import type { LogStore } from "../log/store.ts";
import type { Command } from "../protocol/command.ts";
import { runScreen } from "../tui/screen.tsx";
import type { Panel, ScreenResult } from "../tui/types.ts";
import { changedFiles, changedNotice } from "../tools/files/changed-files.ts";
import { chooseLog } from "./choose-log.ts";
import type { StartOptions } from "./headless.ts";
import { noticesFor } from "./notices.ts";
import { openNext } from "./open-next.ts";
import { reconnected } from "./reconnect.ts";
import { prepareRun } from "./run.ts";
import { createServices } from "./services.ts";

/** The agent on the whole screen, session after session, until the person leaves it. */
export async function runInteractive(start: StartOptions): Promise<number> {
  const { flags, paths, problems } = start;
  let parts = start;
  const picks = flags.resume.kind === "pick";
  let log = await chooseLog(picks ? { kind: "new" } : flags.resume, paths);
  let opening: Opening = {
    prompt: flags.prompt,
    notices: problems,
    ...(picks ? { panel: { kind: "sessions" } } : {}),
  };
  for (;;) {
    const { lastAnswer, code, next } = await runSession(parts, log, opening);
    if (next === null) {
      if (lastAnswer !== "") process.stdout.write(`${lastAnswer}\n\n`);
      if (log.path.length > 0)
        process.stdout.write(`Go on with: mini-claude --resume ${log.session}\n`);
      return code;
    }
    const opened = await openNext(next, log, paths);
    log = opened.log;
    parts = reconnected(parts, next);
    opening = { prompt: "", notices: opened.notices };
  }
}

/** What a screen begins with. */
type Opening = { prompt: string; notices: readonly string[]; panel?: Panel };

async function runSession(
  parts: StartOptions,
  log: LogStore,
  { prompt, notices, panel }: Opening,
): Promise<ScreenResult> {
  const { settings, paths, env, cwd } = parts;
  const run = await prepareRun({ ...parts, log });
  const commands = new AsyncQueue<Command>();
  try {
    const changed = changedNotice(await changedFiles(log.path), cwd);
    // Who goes on with a session knows who answers; the status line says it too.
    const provider = log.path.length === 0 ? await providerNotices(run.model.label) : [];
    return await runScreen({
      events: run.agent.run(commands),
      send: (command) => commands.push(command),
      history: [...log.entries],
      label: run.model.label,
      model: run.modelName,
      cwd,
      session: log.session,
      logFile: log.file,
      rules: run.rules,
      policy: settings.policy,
      settings,
      services: createServices({
        cwd,
        env,
        settings,
        paths,
        model: run.model,
        archive: run.archive,
      }),
      ...(prompt === "" ? {} : { firstPrompt: prompt }),
      notices: [...notices, ...log.repairs, ...changed, ...provider],
      ...(panel ? { panel } : {}),
    });
  } finally {
    commands.push({ type: "stop" });
    commands.close();
    await run.close();
  }
}

async function providerNotices(label: string): Promise<string[]> {
  const servers = label === "offline" ? await detectLocalServers({ timeoutMs: 150 }) : [];
  return noticesFor(label, servers);
}
