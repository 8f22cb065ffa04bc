/** Puts one run of the agent together: log, model, tools, hooks. */

import { relative, resolve } from "node:path";
import { createAgent } from "../agent/agent.ts";
import { Compactor } from "../agent/compaction/compactor.ts";
import type { Git } from "../agent/opening/environment.ts";
import { openingFacts, promptFrom, resumedModel } from "../agent/opening/opening.ts";
import type { Session } from "../agent/session.ts";
import { Subagents } from "../agent/subagents/subagents.ts";
import { createTurnBoundaries, type TurnBoundaries } from "../agent/turn-boundaries.ts";
import { chooseProvider, type ProviderSettings } from "../config/credentials.ts";
import { realHome } from "../config/paths.ts";
import type { SettingSource } from "../config/source-flags.ts";
import { openDiagnostics } from "../diagnostics/open-diagnostics.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { Archive } from "../log/archive.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { writePrivate } from "../log/export/private-file.ts";
import { logVersion } from "../log/parse.ts";
import { rewindFiles } from "../log/rewind-files.ts";
import { openServers, sharedServers } from "../mcp/open-servers.ts";
import {
  announcerOf,
  firstTools,
  lacksSearch,
  promptsOf,
  smallTools,
} from "../mcp/session-tools.ts";
import { modelNamed } from "../model/catalog.ts";
import type { ModelClient } from "../model/client.ts";
import { commandEnv, pathOutside } from "../project/program-path.ts";
import { PromptFiles } from "../project/prompt-files/prompt-files.ts";
import { followFiles, readInstructions } from "../project/session-instructions.ts";
import { findSubagents } from "../project/subagents.ts";
import { systemClock } from "../protocol/clock.ts";
import type { Entry } from "../protocol/entry.ts";
import { changedFact, changedFiles } from "../tools/files/changed-files.ts";
import { workspaceText } from "../tools/files/workspace-text.ts";
import { runGit } from "../tools/git/run.ts";
import type { HomeFolders } from "../tools/permission/sensitive.ts";
import { nothingShared } from "../tools/toolbox.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { Toolbox } from "../tools/tool.ts";
import { createClient } from "./model-client.ts";
import { openSubagent, withBuiltIn } from "./open-subagent.ts";
import type { Run, RunOptions } from "./run-types.ts";
import { askWith } from "./ask-model.ts";
import { hooksOf } from "./session-hooks.ts";
import { toolboxFor } from "./toolbox.ts";
import { searchThrough } from "./web-search.ts";

/** Throws when a folder does not exist or the provider cannot work. */
/** Nobody watches a subagent that goes in circles. */
const subagentCallsAtMost = 200;

export async function prepareRun(options: RunOptions): Promise<Run> {
  const { flags, log, settings, paths, cwd, project, tracer } = options;
  const { policy } = settings;
  const { fallbackModel, headless } = flags;
  const env = commandEnv(options.env, project);
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
  const { hub: mcp, notices } = options.startedBy
    ? sharedServers(options.mcp ?? null, flags.tools.only)
    : await openServers(options, env);
  const { root, folder, isTrusted } = project;
  const reads = (source: SettingSource): boolean => flags.sources.includes(source);
  const trusted =
    isTrusted && reads("project") ? { root, cwd: folder, homes: homesOf(options) } : null;
  const found = await findSubagents(reads("user") ? paths.agents : [], trusted);
  const diagnostics = options.startedBy
    ? options.diagnostics
    : trusted && settings.diagnostics
      ? openDiagnostics(trusted, env["PATH"] ?? "", () => toolbox)
      : undefined;
  const agents = withBuiltIn([...found, ...(options.agents ?? [])]);
  const shared = options.shared ?? nothingShared();
  const parent = {
    options: { ...options, mcp, diagnostics, shared },
    definitions: agents,
    mode: () => toolbox.mode,
    model: () => resumedModel(log.path) ?? modelName,
    prepare: prepareRun,
  };
  const subagents: Subagents = new Subagents({
    choices: agents,
    open: (task, toolUse) => openSubagent(parent, task, toolUse),
    hooks: () => hooks,
    send: options.send,
    onEvent: options.onSubagentEvent,
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
    only: flags.tools.only,
    answerSchema: headless.jsonSchema,
    path: () => log.path,
    search: searchThrough(model),
    shared,
    subagents,
    onFileChange: diagnostics && ((change) => diagnostics.changed(change)),
  });
  const system = promptFrom(flags.prompts);
  const gitEnv = { ...env, PATH: pathOutside(env["PATH"] ?? "", root) };
  const git: Git | null = trusted && ((args) => runGit(trusted.cwd, args, gitEnv));
  const instructions = (permit?: (path: string) => Promise<boolean>) =>
    readInstructions({ ...options, project: trusted, ...(permit ? { permit } : {}) });
  const hooks: HookRegistry = hooksOf({ ...options, shared }, env, {
    mode: () => toolbox.mode,
    askModel: askWith(model, (asked) => {
      // A small model of Anthropic's is enough; another server may have only the session's.
      const isOwn = choice.provider === "anthropic" && choice.baseUrl === undefined;
      const usual = isOwn ? "haiku" : (resumedModel(log.path) ?? modelName);
      return nameFor(choice.provider, asked ?? usual);
    }),
  });
  options.addHooks?.(hooks, options.startedBy !== undefined);
  if (trusted)
    followFiles(hooks, trusted, {
      ownRules: reads("user") ? paths.rules : [],
      path: () => log.path,
    });
  const announced = mcp ? announcerOf(mcp) : () => [];
  const agent = createAgent({
    log,
    hooks,
    model,
    toolbox,
    policy,
    rules,
    effort: settings.effort,
    clock: systemClock,
    limits: {
      maxCalls: headless.maxTurns ?? (options.startedBy && subagentCallsAtMost),
      maxUsd: headless.maxBudgetUsd,
    },
    spending: shared.spending,
    fallbackModel: fallbackModel && nameFor(choice.provider, fallbackModel),
    boundaries: (session) => boundariesOf(options, session, hooks, model),
    opening: async (mayRead) => {
      const { facts, notes } = await instructions(mayRead);
      const skills = offers("Skill", toolbox, log.path) ? await promptFiles.skillLines() : [];
      const opening = await openingFacts({
        path: log.path,
        session: log.session,
        version: logVersion,
        model: modelName,
        tools: [...toolbox.definitions, ...(await firstTools(mcp, log.path, settings, rules))],
        system,
        replaces: {
          system: (flags.prompts.system ?? flags.prompts.append) !== undefined,
          tools: Boolean(flags.tools.only ?? headless.jsonSchema) || lacksSearch(mcp, log.path),
        },
        startedBy: options.startedBy,
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
    async announcements(path, signal) {
      return [...announced(path), ...((await diagnostics?.news(signal)) ?? [])];
    },
    rewindFiles: (rewind) => rewindFiles(checkpoints, rewind, (path) => relative(cwd, path)),
  });
  return {
    agent: tracer?.agent(agent) ?? agent,
    toolbox,
    opening: {
      system,
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
      if (!options.startedBy) await Promise.all([mcp?.close(), diagnostics?.close()]);
      if (log.path.length > 0 && !options.startedBy) await hooks.end(reason);
      await toolbox.close();
      await archive.close();
      await log.close();
    },
  };
}

function boundariesOf(
  { cwd, settings: { transcriptDir }, tracer }: RunOptions,
  session: Session,
  hooks: HookRegistry,
  model: ModelClient,
): TurnBoundaries {
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
}

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
