/** One run of the agent, put together: log, model, tools, and the facts it begins with. */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { createAgent, type Agent } from "../agent/agent.ts";
import { Compactor } from "../agent/compaction/compactor.ts";
import { createTurnBoundaries } from "../agent/turn-boundaries.ts";
import { openingFacts, resumedModel } from "../agent/opening/opening.ts";
import { childEnv, chooseProvider } from "../config/credentials.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { Archive } from "../log/archive.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { logVersion } from "../log/parse.ts";
import type { LogStore } from "../log/store.ts";
import type { ModelClient } from "../model/client.ts";
import type { FileStamp } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import { recallTool } from "../tools/recall/recall.ts";
import { createToolbox } from "../tools/toolbox.ts";
import type { Toolbox } from "../tools/tool.ts";
import { changedFact, changedFiles } from "../tools/files/changed-files.ts";
import { createClient } from "./client.ts";
import { systemClock } from "../protocol/clock.ts";
import { compactTool } from "../tools/compact.ts";
import { userHooks } from "../hooks/user-hooks.ts";
import { rewindFiles } from "../log/rewind-files.ts";

export type Run = {
  agent: Agent;
  model: ModelClient;
  modelName: string;
  rules: ModelRules;
  toolbox: Toolbox;
  archive: Archive;
  close(): Promise<void>;
};

export type RunOptions = {
  log: LogStore;
  settings: Settings;
  paths: Paths;
  cwd: string;
  env: Record<string, string | undefined>;
};

/** Throws with a sentence when a folder does not exist or the provider cannot work. */
export async function prepareRun({ log, settings, paths, cwd, env }: RunOptions): Promise<Run> {
  const choice = chooseProvider(settings, env);
  const model = await createClient(choice, settings);
  const modelName =
    choice.provider === "offline" ? "offline" : (resumedModel(log.path) ?? settings.model);
  const rules = await model.rules(modelName);
  const clean = childEnv(env);
  const checkpoints = new Checkpoints(paths.checkpoints);
  const { policy } = settings;
  const archive = new Archive(log, paths.toolResults);
  const toolbox = await createToolbox({
    workspace: cwd,
    addedFolders: settings.addDirs,
    resultsDir: paths.toolResults,
    policy,
    mode: settings.permissionMode,
    childEnv: clean,
    clock: systemClock,
    checkpoint: checkpoints,
    bashTimeoutMs: settings.bashTimeoutMs,
    extra: [
      compactTool,
      recallTool({
        memory: archive,
        now: () => systemClock.now(),
        show: (path) => relative(cwd, path),
        asking: () => log.path.findLast(({ type }) => type === "user")?.id ?? null,
      }),
    ],
    known: log.path.flatMap((entry): FileStamp[] =>
      entry.type === "result" ? (entry.stamps ?? []) : [],
    ),
    ownFolder: paths.root,
  });
  const agent = createAgent({
    log,
    model,
    toolbox,
    policy,
    rules,
    clock: systemClock,
    boundaries: (session) => {
      const { transcriptDir } = settings;
      const dir = transcriptDir === undefined ? undefined : resolve(cwd, transcriptDir);
      const compactor = new Compactor({
        session,
        model: () => model,
        clock: systemClock,
        readFile: (path) => readText(cwd, path),
        ...userHooks(settings.hooks, { cwd, env: clean }),
        ...(dir === undefined ? {} : { transcripts: { dir, write: writePrivate } }),
      });
      return createTurnBoundaries(session, compactor);
    },
    opening: async () =>
      openingFacts({
        path: log.path,
        session: log.session,
        version: logVersion,
        model: modelName,
        tools: toolbox.definitions,
        cwd,
        addedFolders: settings.addDirs,
        mode: settings.permissionMode,
        userInstructions: paths.instructions,
        changes: changedFact(await changedFiles(log.path), cwd),
        env: clean,
        now: new Date(systemClock.now()),
      }),
    rewindFiles: (kept) => rewindFiles(checkpoints, kept),
  });
  return {
    agent,
    model,
    modelName,
    rules,
    toolbox,
    archive,
    async close() {
      await agent.close();
      await toolbox.close();
      await archive.close();
      await log.close();
    },
  };
}

/** A file of the workspace as text; null when it is none, is elsewhere, or is very large. */
async function readText(cwd: string, path: string): Promise<string | null> {
  if (relative(cwd, path).startsWith("..")) return null;
  const file = Bun.file(path);
  if (!(await file.exists()) || file.size > 2_000_000) return null;
  const text = await file.text();
  return text.includes("\0") ? null : text;
}

async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
}
