/** Puts one run of the agent together: log, model, tools, hooks. */

import { relative, resolve } from "node:path";
import { createAgent } from "../agent/agent.ts";
import { Compactor } from "../agent/compaction/compactor.ts";
import type { Git } from "../agent/opening/environment.ts";
import { openingFacts, promptFrom, resumedModel } from "../agent/opening/opening.ts";
import type { Limits } from "../agent/limits.ts";
import { createTurnBoundaries } from "../agent/turn-boundaries.ts";
import { chooseProvider, type ProviderSettings } from "../config/credentials.ts";
import type { HeadlessFlags } from "../config/headless-flags.ts";
import { realHome } from "../config/paths.ts";
import type { SettingSource } from "../config/source-flags.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { Archive } from "../log/archive.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { writePrivate } from "../log/export/private-file.ts";
import { logVersion } from "../log/parse.ts";
import { rewindFiles } from "../log/rewind-files.ts";
import { modelNamed } from "../model/catalog.ts";
import { findSubagents } from "../project/subagents.ts";
import { pathOutside } from "../project/program-path.ts";
import { systemClock } from "../protocol/clock.ts";
import type { Entry } from "../protocol/entry.ts";
import { changedFact, changedFiles } from "../tools/files/changed-files.ts";
import { workspaceText } from "../tools/files/workspace-text.ts";
import type { HomeFolders } from "../tools/permission/sensitive.ts";
import { runGit } from "../tools/git/run.ts";
import type { Toolbox } from "../tools/tool.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import { commandEnv } from "./command-env.ts";
import { endSession, hooksFor } from "./hooks.ts";
import { followSubfolders, readInstructions } from "./instructions.ts";
import { createClient } from "./model-client.ts";
import {
  announcerOf,
  firstTools,
  lacksSearch,
  openMcp,
  promptsOf,
  sharedWith,
  smallTools,
} from "./open-mcp.ts";
import { PromptFiles } from "./prompt-files.ts";
import type { Run, RunOptions } from "./run-types.ts";
import { Subagents, withBuiltIn } from "./subagents.ts";
import { toolboxFor } from "./toolbox.ts";

/** Throws when a folder does not exist or the provider cannot work. */
export async function prepareRun(options: RunOptions): Promise<Run> {
  const { flags, log, settings, paths, cwd, project, tracer } = options;
  const { policy } = settings;
  const { jsonSchema } = flags.headless;
  const env = commandEnv(options);
  const choice = chooseProvider(settings, options.env);
  const client = await createClient(choice, settings, tracer?.fetch(fetch));
  const model = tracer?.model(client) ?? client;
  const modelName = nameFor(
    choice.provider,
    options.requestedModel ?? resumedModel(log.path) ?? settings.model,
  );
  const rules = await model.rules(modelName);
  const archive = new Archive(log, paths.toolResults);
  const checkpoints = new Checkpoints(paths.checkpoints);
  const { hub: mcp, notices } = sharedWith(options) ?? (await openMcp(options, env));
  const { root, folder, isTrusted } = project;
  const reads = (source: SettingSource): boolean => flags.sources.includes(source);
  const trusted =
    isTrusted && reads("project") ? { root, cwd: folder, homes: homesOf(options) } : null;
  const found = await findSubagents(reads("user") ? paths.agents : [], trusted);
  const agents = withBuiltIn([...found, ...(options.agents ?? [])]);
  const subagents: Subagents = new Subagents({
    options: { ...options, mcp },
    definitions: agents,
    mode: () => toolbox.mode,
    model: () => resumedModel(log.path) ?? modelName,
    hooks: () => hooks,
    prepare: prepareRun,
  });
  const promptFiles = new PromptFiles({
    ...options,
    project: trusted,
    modelNamed: (name) => (choice.provider === "anthropic" ? modelNamed(name) : null),
  });
  const toolbox: ToolRunner = await toolboxFor({
    mcp,
    settings,
    paths,
    cwd,
    env,
    checkpoints,
    memory: archive,
    loadSkill: (name, args) => promptFiles.loadSkill(name, args),
    ...(flags.tools.only ? { only: flags.tools.only } : {}),
    ...(jsonSchema ? { answerSchema: jsonSchema } : {}),
    path: () => log.path,
    subagents,
  });
  const prompt = promptFrom(flags.prompts);
  const gitEnv = { ...env, PATH: pathOutside(env["PATH"] ?? "", root) };
  const git: Git | null = trusted && ((args) => runGit(trusted.cwd, args, gitEnv));
  const instructions = (permit?: (path: string) => Promise<boolean>) =>
    readInstructions({ ...options, project: trusted, ...(permit ? { permit } : {}) });
  const hooks: HookRegistry = hooksFor(options, env, toolbox);
  options.addHooks?.(hooks, options.startedBy !== undefined);
  if (trusted) followSubfolders(hooks, trusted, () => log.path);
  const agent = createAgent({
    log,
    hooks,
    model,
    toolbox,
    policy,
    rules,
    ...(settings.effort ? { effort: settings.effort } : {}),
    clock: systemClock,
    limits: limitsOf(flags.headless),
    ...(flags.fallbackModel === undefined
      ? {}
      : { fallbackModel: nameFor(choice.provider, flags.fallbackModel) }),
    boundaries: (session) => {
      const { transcriptDir } = settings;
      const compactor = new Compactor({
        session,
        hooks,
        model: () => model,
        clock: systemClock,
        readFile: (path) => workspaceText(cwd, path),
        ...(transcriptDir === undefined
          ? {}
          : { transcripts: { dir: resolve(cwd, transcriptDir), write: writePrivate } }),
      });
      const boundaries = createTurnBoundaries(session, compactor);
      return tracer?.boundaries(boundaries, session) ?? boundaries;
    },
    opening: async (mayRead) => {
      const { facts, notes } = await instructions(mayRead);
      const skills = offers("Skill", toolbox, log.path) ? await promptFiles.skillLines() : [];
      const opening = await openingFacts({
        path: log.path,
        session: log.session,
        version: logVersion,
        model: modelName,
        tools: [...toolbox.definitions, ...(await firstTools(mcp, log.path, settings, rules))],
        ...prompt,
        replaces: {
          system: Object.keys(flags.prompts).length > 0,
          tools: Boolean(flags.tools.only ?? jsonSchema) || lacksSearch(mcp, log.path),
        },
        ...(options.startedBy ? { startedBy: options.startedBy } : {}),
        cwd,
        addedFolders: settings.addDirs,
        mode: settings.permissionMode,
        instructions: [...facts, ...skills],
        git,
        changes: changedFact(await changedFiles(log.path), cwd),
        now: new Date(systemClock.now()),
      });
      return [...opening, ...notes];
    },
    // A task of the model's must not use what the user's commands and mentions allow.
    ...(options.startedBy
      ? {}
      : {
          findCommand: (name, argumentText) => promptFiles.command(name, argumentText),
          ...(mcp && { attachments: (text, signal) => mcp.attachments(text, signal) }),
        }),
    async remember(note) {
      const { remember } = await import("../project/memory.ts");
      return remember(paths.memory.here, note);
    },
    ...(mcp && { announcements: announcerOf(mcp) }),
    rewindFiles: (rewind) => rewindFiles(checkpoints, rewind, (path) => relative(cwd, path)),
  });
  return {
    agent: tracer?.agent(agent) ?? agent,
    toolbox,
    opening: {
      system: prompt.system,
      // MCP servers that connect meanwhile add to it.
      get tools() {
        return [...toolbox.definitions, ...smallTools(mcp, settings, rules)];
      },
    },
    model,
    modelName,
    rules,
    archive,
    git,
    instructions,
    hooks,
    agents,
    mcp,
    notices,
    commands: async () => [...(await promptFiles.list()), ...promptsOf(mcp)],
    async close(reason = "other") {
      await Promise.all([agent.close(), subagents.close()]);
      if (!options.startedBy) await mcp?.close();
      if (log.path.length > 0 && !options.startedBy) await endSession(hooks, reason);
      await toolbox.close();
      await archive.close();
      await log.close();
    },
  };
}

const limitsOf = ({ maxTurns, maxBudgetUsd }: HeadlessFlags): Limits => ({
  ...(maxTurns === undefined ? {} : { maxCalls: maxTurns }),
  ...(maxBudgetUsd === undefined ? {} : { maxUsd: maxBudgetUsd }),
});

/** Whether the session has a tool; a resumed one keeps the tools that it began with. */
function offers(tool: string, { definitions }: Toolbox, path: readonly Entry[]): boolean {
  const began = path.findLast((entry) => entry.type === "session");
  return (began?.tools ?? definitions).some(({ name }) => name === tool);
}

/** Short names mean Anthropic's models; another server may have its own "default". */
function nameFor(provider: ProviderSettings["provider"], name: string): string {
  if (provider === "offline") return "offline";
  return provider === "anthropic" ? modelNamed(name) : name;
}

const homesOf = ({ paths, env }: RunOptions): HomeFolders => {
  return { home: realHome(env), own: paths.root, results: paths.toolResults };
};
