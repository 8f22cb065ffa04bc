/** Services of the disk and of other programs for the screen. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { inOneLine } from "../../base/escape-terminal.ts";
import { readGitState } from "../../agent/opening.ts";
import { toFileRewind, routeTo } from "../../agent/rewind.ts";
import { saveSetting } from "../../config/settings.ts";
import {
  countTurns,
  isOfUser,
  latestSession,
  listAllSessions,
  listSessions,
  type SessionInfo,
} from "../../log/catalog.ts";
import { sessionsBefore } from "../../log/moved-sessions.ts";
import { openOriginal, openPages } from "../../log/paged-text.ts";
import type { LogStore } from "../../log/store.ts";
import type { RewindStep } from "../../snapshots/plan.ts";
import { mcpService, resourceNames } from "../../extensions/mcp/open-servers.ts";
import { findPrices } from "../../model/catalog.ts";
import { memoryFiles } from "../../extensions/instructions/memory.ts";
import { findStatusLine, runStatusLine } from "../../extensions/status-line.ts";
import { commandEnv } from "../../trust/project/project.ts";
import { providerService } from "./providers.ts";
import type { Run } from "../../run/run.ts";
import type { StartOptions } from "../../run/start.ts";
import { readImage, imageInFile } from "../../tools/files/image.ts";
import { searchMemory, stale } from "../../tools/recall.ts";
import { findRipgrep, listFiles } from "../../tools/search/ripgrep.ts";
import type { BackgroundShells } from "../../tools/shell/background.ts";
import { completeFiles } from "./complete-files.ts";
import { promptHistory } from "./prompt-files.ts";
import { clipboardImage, copyWithProgram, editFile, editText } from "./programs.ts";
import type { BackgroundService, Services, SessionSummary } from "../../ui/types.ts";

export function createServices(options: StartOptions, log: LogStore, run: Run): Services {
  const { cwd, paths } = options;
  const { model, toolbox, archive, git, mcp } = run;
  // For the editor.
  const env = commandEnv(options.env, options.project);
  const history = promptHistory(paths.history);
  const files = completeFiles((signal) =>
    listFiles(findRipgrep(), { folder: cwd, hidden: false, signal }),
  );
  const instructions = async (): Promise<string[]> =>
    (await run.instructions()).facts.map(({ title }) => title);
  let statusCommand: ReturnType<typeof findStatusLine> | undefined;
  return {
    openOriginal,
    async files(query) {
      const { paths, rest } = await files(query);
      return { paths: [...resourceNames(mcp, query), ...paths], rest };
    },
    loadHistory: history.load,
    saveHistory: history.save,
    edit: (text) => editText(text, env),
    readImage: imageInFile,
    async clipboardImage() {
      const bytes = await clipboardImage(env);
      return bytes && readImage(bytes);
    },
    copyWithProgram,
    async recall(query, where) {
      const hits = await searchMemory(archive, where, query, maxShownHits);
      return Promise.all(
        hits.map(async ({ source: entry, session, snippet }) => ({
          entry,
          session,
          snippet,
          stale: await stale(entry, (path) => relative(cwd, path)),
        })),
      );
    },
    previewRewind: async (to) => {
      const { inNewPlace, previewRewind } = await import("../../snapshots/rewind.ts");
      const rewind = inNewPlace(toFileRewind(routeTo(log, to)), log.path, cwd);
      const steps = await previewRewind(rewind);
      return steps.map((step) => describeStep(step, relative(cwd, step.path)));
    },
    models: () => model.models(),
    modelRules: (name) => model.rules(name),
    hooks: () => run.hooks.list(),
    commands: () => run.commands(),
    memoryFiles: async () => memoryFiles(paths, await instructions()),
    editFile: (path) => editFile(path, env),
    background: findBackground(toolbox.background),
    ...(mcp ? { mcp: mcpService(mcp) } : {}),
    hasSandbox: () => toolbox.hasSandbox(),
    async statusLine(input, signal) {
      const command = await (statusCommand ??= findStatusLine(options));
      const launch = toolbox.launchProgram.bind(toolbox);
      return command === null ? null : runStatusLine(command, input, { cwd, env, signal, launch });
    },
    providers: providerService(options),
    saveSetting: async (name, value) => saveSetting(paths.settings, name, value),
    gitState: async () => git && readGitState(git),
    instructions: async () =>
      (await instructions()).map((file) => showFile(file, cwd, env["HOME"])),
    latestSession: async () => {
      const found = await latestSession(paths.projectSessions);
      if (found) return { ...summarizeSession(found), turns: await countTurns(found) };
      const [before] = await sessionsBefore(paths.sessions, cwd);
      return before ? { ...summarizeSession(before), turns: null } : null;
    },
    async exportSession(name) {
      const { exportSession } = await import("../../log/export-session.ts");
      const { sessionPage } = await import("../../commands/session-page/page.ts");
      // Without a name, not into the project, whose git would show it.
      if (!name && log.path.length > 0)
        await mkdir(paths.exports, { recursive: true, mode: 0o700 });
      const file = name || join(paths.exports, `${log.session}.md`);
      return exportSession({ path: log.path, name: file, cwd, html: sessionPage });
    },
    async usage(signal) {
      const nowMs = Date.now();
      const { usageReport } = await import("../../log/usage.ts");
      return usageReport({ paths, findPrices, nowMs, signal });
    },
    sessions: async (where) => {
      const found = await (where === "here"
        ? listSessions(paths.projectSessions)
        : listAllSessions(paths.sessions));
      const own = found.filter(isOfUser);
      const isNew = where === "here" && own.length === 0;
      return (isNew ? await sessionsBefore(paths.sessions, cwd) : own).map(summarizeSession);
    },
  };
}

const findBackground = (shells: BackgroundShells): BackgroundService => ({
  list: () => shells.list(),
  open: ({ file }) => openPages(file),
  stop: (id) => shells.kill(id),
  watch: (changed) => shells.watch(changed),
});

const summarizeSession = (info: SessionInfo): SessionSummary => ({
  ...info,
  at: new Date(info.changedMs).toISOString(),
  readWork: async () => (await import("../../log/usage.ts")).sessionWork(info, findPrices),
  ...(!existsSync(info.cwd) && { isHomeless: true }),
});

/** A file by its path from the opened folder, or from the home folder. */
function showFile(file: string, cwd: string, home = ""): string {
  if (home !== "" && file.startsWith(join(home, ".")) && !cwd.startsWith(dirname(file)))
    return `~${sep}${relative(home, file)}`;
  return relative(cwd, file);
}

const maxShownHits = 30;

/** One line of a preview. */
function describeStep(step: RewindStep, path: string): string {
  const name = inOneLine(path);
  switch (step.how) {
    case "restore":
      return `Restore ${name}`;
    case "delete":
      return `Delete  ${name}`;
    case "keep":
      return `${step.isUnsure ? "Leave  " : "Skip   "} ${name} (${step.why})`;
  }
}
