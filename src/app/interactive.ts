/** Runs sessions on the screen, one after another. */

import { version } from "../../package.json";
import { AsyncQueue } from "../base/async-queue.ts";
import type { Draft } from "../ui/prompt/paste-chips.ts";
import type { EndReason } from "../extensions/hooks/output.ts";
import { latestSession } from "../log/catalog.ts";
import { sessionsBefore } from "../log/moved-sessions.ts";
import { type LogStore, createLog, openLog } from "../log/store.ts";
import { detectLocalServers } from "../model/network.ts";
import { writeText } from "../headless/print/output.ts";
import type { AgentCommand } from "../protocol/command.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { exitOnSignals } from "../base/signals.ts";
import { type SessionFlags, sessionNamed } from "../config/flags.ts";
import { providerNotice, withProvider } from "./services/providers.ts";
import { chooseLog } from "../run/open-run.ts";
import { prepareRun } from "../run/run.ts";
import type { StartOptions } from "../run/start.ts";
import { changedFiles, changedNotice } from "../run/changed-files.ts";
import { endPrograms } from "./services/programs.ts";
import { leftRunning } from "../tools/shell/process-group.ts";
import { resumeCommand } from "../base/installed.ts";
import type { Next, Panel, ScreenResult } from "../ui/types.ts";
import { scheduleVersionCheck, newerVersionNotice } from "./newer-version.ts";
import { ProgressLine } from "./progress-line.ts";
import { createServices } from "./services/create-services.ts";
import { basename } from "node:path";
import type { Paths } from "../config/paths.ts";
import { defaultSettings } from "../config/settings.ts";
import { forkLog } from "../log/store.ts";
import { errorMessage } from "../base/format.ts";

/** Runs session after session on the full screen until the user quits; returns the exit code. */
export async function runInteractive(start: StartOptions): Promise<number> {
  const { flags, paths, notices, env, cwd, settings } = start;
  const picks = flags.session.resume.kind === "pick" || (await wasRenamed(flags.session, start));
  let options = start;
  let isClosing = false;
  exitOnSignals(() => isClosing);
  let log = await openShowing(picks ? sessionNamed(null) : flags.session, paths);
  let opening: ScreenStart = {
    prompt: flags.prompt,
    notices: settings.updateCheck ? [...notices, ...newerVersionNotice(paths.update)] : notices,
    panel: picks ? { kind: "sessions" } : undefined,
  };
  if (settings.updateCheck && settings.provider !== "offline")
    scheduleVersionCheck(paths.update, env);
  for (;;) {
    const { closingLines, code, next, draft } = await runSession(options, log, opening, () => {
      isClosing = true;
    });
    isClosing = next === null;
    if (next === null) {
      // Already sanitized by the screen, which added the colors.
      process.stdout.write(closingLines.map((line) => `${line}\n`).join(""));
      const left = await leftRunning();
      if (left.length > 0) writeText(`Still running, outside the sandbox: ${left.join(", ")}\n`);
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

/** Whether this folder has no session, but may have been renamed: the list then offers sessions of the old name. */
const wasRenamed = async ({ resume }: SessionFlags, { paths, cwd }: StartOptions) =>
  resume.kind === "latest" &&
  (await latestSession(paths.projectSessions)) === null &&
  (await sessionsBefore(paths.sessions, cwd)).length > 0;

/** Opens the log of a session; a long one shows how much of it is read. */
async function openShowing(session: SessionFlags, paths: Paths): Promise<LogStore> {
  const line = new ProgressLine(process.stderr);
  try {
    return await chooseLog(session, paths, { progress: line.show });
  } finally {
    line.clear();
  }
}

/** The start of a screen. */
type ScreenStart = {
  prompt: string;
  notices: readonly string[];
  panel?: Panel | undefined;
  draft?: Draft | undefined;
};

/** MCP servers are started and the agent is loaded once the screen is there, in milliseconds. */
const afterFirstFrameMs = 300;

async function runSession(
  options: StartOptions,
  log: LogStore,
  { prompt, notices, panel, draft }: ScreenStart,
  onLeave: () => void,
): Promise<ScreenResult> {
  const { settings, cwd } = options;
  const commands = new AsyncQueue<AgentCommand>();
  const begun = Promise.withResolvers<void>();
  const send = (command: AgentCommand): void => {
    commands.push(command);
    begun.resolve();
  };
  // The screen is loaded while the server is asked for the limits of the model.
  const [run, { runScreen }] = await Promise.all([
    prepareRun({ ...options, log, send }),
    import("../ui/app.ts"),
  ]);
  run.toolbox.background.tellEnds((ended) => send({ type: "news", ...ended }));
  const { model, modelName, rules, agent, opening, close } = run;
  let reason: EndReason = "other";
  const drawn = setTimeout(() => {
    begun.resolve();
    run.mcp?.start();
  }, afterFirstFrameMs);
  async function* runAgent(): AsyncGenerator<AgentEvent, void> {
    await begun.promise;
    yield* agent.run(commands);
  }
  try {
    const changed = changedNotice(await changedFiles(log.path), cwd);
    const result = await runScreen({
      events: runAgent(),
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
      settings,
      settingSources: options.sources,
      services: createServices(options, log, run),
      firstPrompt: prompt === "" ? undefined : prompt,
      notices: [
        ...(await firstNotices(log, model.label)),
        ...notices,
        ...run.notices,
        ...log.repairs,
        ...changed,
      ],
      panel,
      draft,
    });
    reason = explainEnd(result);
    return result;
  } finally {
    onLeave();
    await endPrograms();
    clearTimeout(drawn);
    await close(reason);
    commands.close();
  }
}

function explainEnd({ next }: ScreenResult): EndReason {
  if (next === null) return "prompt_input_exit";
  return next.kind === "new" ? "clear" : next.kind === "session" ? "resume" : "other";
}

/** Notice about the offline model. None in a resumed session, whose user knows the model. */
async function firstNotices(log: LogStore, label: string): Promise<string[]> {
  if (log.path.length > 0 || label !== "offline") return [];
  return [providerNotice(await detectLocalServers({ timeoutMs: 150 }))];
}

type OpenedSession = { log: LogStore; notices: string[] };

/** Opens the next session. When that fails, the closed one is opened again, with the reason. */
async function openNext(next: Next, closed: LogStore, paths: Paths): Promise<OpenedSession> {
  try {
    switch (next.kind) {
      case "new":
        return { log: createLog(paths.projectSessions), notices: [] };
      case "session":
        return { log: await openShowing(sessionNamed(next.session), paths), notices: [] };
      case "fork":
        return await fork(closed, next.title, paths);
      case "settings":
      case "server":
      case "provider":
        return { log: reopen(closed, paths), notices: [] };
    }
  } catch (error) {
    return { log: reopen(closed, paths), notices: [errorMessage(error)] };
  }
}

/** An empty session has no file to open. */
const reopen = (closed: LogStore, paths: Paths): LogStore =>
  closed.path.length === 0 ? createLog(paths.projectSessions) : openLog(closed.file);

async function fork(closed: LogStore, title: string, paths: Paths): Promise<OpenedSession> {
  if (closed.path.length === 0) throw new Error("There is nothing to fork yet.");
  const log = openLog(forkLog(closed.file, closed.head, paths.projectSessions));
  if (title !== "") await log.append({ type: "note", kind: "title", text: title });
  return { log, notices: [`Forked from ${basename(closed.file, ".jsonl")}, which is unchanged.`] };
}

/** The options with what the user picked in `/connect` or `/settings`, until they quit. */
export function connected(options: StartOptions, next: Next): StartOptions {
  const { settings } = options;
  switch (next.kind) {
    case "settings":
      return { ...options, settings: next.settings, requestedModel: next.settings.model };
    case "server": {
      const { baseUrl, model } = next;
      return {
        ...options,
        settings: { ...settings, provider: "openai", baseUrl, model },
        requestedModel: model,
      };
    }
    case "provider": {
      const { provider, key } = next;
      // A name from another server means nothing to Anthropic.
      const usual = settings.model.startsWith("claude") ? settings.model : defaultSettings.model;
      const model = next.model ?? usual;
      const chosen = withProvider(options, provider, key);
      return { ...chosen, settings: { ...chosen.settings, model }, requestedModel: model };
    }
    default:
      return options;
  }
}
