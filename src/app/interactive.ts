import { version } from "../../package.json";
import { AsyncQueue } from "../agent/async-queue.ts";
import type { Draft } from "../ui/prompt/paste-chips.ts";
import type { EndReason } from "../extensions/hooks/events.ts";
import type { LogStore } from "../log/store.ts";
import { detectLocalServers } from "../model/network.ts";
import { writeText } from "../headless/print/output.ts";
import type { Command } from "../protocol/command.ts";
import type { Environment } from "../base/environment.ts";
import { exitOnSignals } from "../base/signals.ts";
import { sessionNamed } from "../config/flags.ts";
import { chooseLog } from "./run/choose-log.ts";
import { prepareRun } from "./run/run.ts";
import type { StartOptions } from "./run/start.ts";
import { changedFiles, changedNotice } from "../tools/files/changed-files.ts";
import { endPrograms } from "../ui/services/external-programs.ts";
import { providerNotices } from "../ui/services/provider-notices.ts";
import { resumeCommand } from "../ui/services/resume-command.ts";
import type { Panel, ScreenResult } from "../ui/types.ts";
import { connected, openNext } from "./next-session.ts";
import { lookForNewerVersion, newerVersionNotice } from "./newer-version.ts";
import { createServices } from "./services.ts";

/** Runs session after session on the full screen until the user quits; returns the exit code. */
export async function runInteractive(start: StartOptions): Promise<number> {
  const { flags, paths, notices, env, cwd, settings } = start;
  const picks = flags.session.resume.kind === "pick";
  let options = start;
  let isClosing = false;
  exitOnSignals(() => isClosing);
  let log = await chooseLog(picks ? sessionNamed(null) : flags.session, paths);
  let opening: Opening = {
    prompt: flags.prompt,
    notices: settings.updateCheck ? [...notices, ...newerVersionNotice(paths.update)] : notices,
    panel: picks ? { kind: "sessions" } : undefined,
  };
  if (settings.updateCheck && settings.provider !== "offline")
    setTimeout(() => void lookIfInstalled(paths.update, env), afterStartMs).unref();
  for (;;) {
    const { closingLines, code, next, draft } = await runSession(options, log, opening, () => {
      isClosing = true;
    });
    isClosing = next === null;
    if (next === null) {
      // Already sanitized by the screen, which added the colors.
      process.stdout.write(closingLines.map((line) => `${line}\n`).join(""));
      if (log.path.length > 0) {
        const script = process.argv[1] ?? "mini-claude";
        writeText(
          `Resume with: ${resumeCommand(log.session, { env, script, cwd, worktree: flags.worktree })}\n`,
        );
      }
      return code;
    }
    const opened = await openNext(next, log, paths);
    log = opened.log;
    options = connected(options, next);
    opening = { prompt: "", notices: opened.notices, draft };
  }
}

/** The start of the screen comes first. */
const afterStartMs = 3_000;

async function lookIfInstalled(file: string, env: Environment): Promise<void> {
  const { findInstallation } = await import("../commands/update/update.ts");
  if (findInstallation(process.execPath).kind === "global")
    await lookForNewerVersion({ file, env, nowMs: Date.now(), fetch });
}

/** What a screen begins with. */
type Opening = {
  prompt: string;
  notices: readonly string[];
  panel?: Panel | undefined;
  draft?: Draft | undefined;
};

/** MCP servers are started once the screen is there, in milliseconds. */
const afterFirstFrameMs = 300;

async function runSession(
  options: StartOptions,
  log: LogStore,
  { prompt, notices, panel, draft }: Opening,
  onLeave: () => void,
): Promise<ScreenResult> {
  const { settings, cwd } = options;
  const commands = new AsyncQueue<Command>();
  const send = (command: Command): void => commands.push(command);
  // The screen is loaded while the server is asked for the limits of the model.
  const [run, { runScreen }] = await Promise.all([
    prepareRun({ ...options, log, send }),
    import("../ui/app.ts"),
  ]);
  const { model, modelName, rules, agent, opening, close } = run;
  let reason: EndReason = "other";
  const servers = setTimeout(() => run.mcp?.start(), afterFirstFrameMs);
  try {
    const changed = changedNotice(await changedFiles(log.path), cwd);
    const result = await runScreen({
      events: agent.run(commands),
      send,
      live: run.live,
      opening,
      version,
      label: model.label,
      model: modelName,
      cwd,
      session: log.session,
      logFile: log.file,
      rules,
      policy: settings.policy,
      settings,
      settingSources: options.sources,
      services: createServices(options, log, run),
      firstPrompt: prompt === "" ? undefined : prompt,
      notices: [
        ...notices,
        ...run.notices,
        ...log.repairs,
        ...changed,
        ...(await firstNotices(log, model.label)),
      ],
      panel,
      draft,
    });
    reason = reasonOf(result);
    return result;
  } finally {
    onLeave();
    await endPrograms();
    clearTimeout(servers);
    await close(reason);
    commands.close();
  }
}

function reasonOf({ next }: ScreenResult): EndReason {
  if (next === null) return "prompt_input_exit";
  return next.kind === "new" ? "clear" : next.kind === "session" ? "resume" : "other";
}

/** Not in a resumed session: the user knows the model, and the status line shows it. */
async function firstNotices(log: LogStore, label: string): Promise<string[]> {
  if (log.path.length > 0 || label !== "offline") return [];
  return providerNotices(await detectLocalServers({ timeoutMs: 150 }));
}
