/** Puts one run of the agent together: log, model, tools, hooks. */

import { relative, resolve } from "node:path";
import { type AgentOptions, createAgent } from "../agent/agent.ts";
import { Compactor } from "../agent/compaction/compactor.ts";
import type { Git } from "../agent/opening/environment.ts";
import { promptFrom } from "../agent/opening/opening.ts";
import { Subagents } from "../agent/subagents/subagents.ts";
import { createTurnBoundaries } from "../agent/turn-boundaries.ts";
import { realHome } from "../config/paths.ts";
import type { SettingSource } from "../config/flags.ts";
import { LiveView } from "../context/live-view.ts";
import type { Diagnostics } from "../extensions/diagnostics/diagnostics.ts";
import { openDiagnostics } from "../extensions/diagnostics/open-diagnostics.ts";
import { isForSubagents } from "../extensions/hooks/events.ts";
import { HookRegistry } from "../extensions/hooks/registry.ts";
import { Archive } from "../log/archive.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { writePrivate } from "../log/export/private-file.ts";
import { rewindFiles } from "../log/rewind-files.ts";
import { openServers, sharedServers } from "../extensions/mcp/open-servers.ts";
import { announcerOf, promptsOf, smallTools } from "../extensions/mcp/session-tools.ts";
import { modelNamed } from "../model/catalog.ts";
import type { ModelClient } from "../model/client.ts";
import { readHooks } from "../extensions/project/hook-settings.ts";
import { remember } from "../extensions/project/memory.ts";
import { commandEnv, pathOutside } from "../extensions/project/program-path.ts";
import type { TrustedProject } from "../extensions/project/project-file.ts";
import { PromptFiles } from "../extensions/project/prompt-files/prompt-files.ts";
import { followFiles, readInstructions } from "../extensions/project/session-instructions.ts";
import { findSubagents } from "../extensions/project/subagents.ts";
import { systemClock } from "../base/clock.ts";
import { claudeModes, type PermissionMode } from "../protocol/permission.ts";
import { workspaceText } from "../tools/files/workspace-text.ts";
import { runGit } from "../tools/git/run.ts";
import { nothingShared, type SharedByAgents } from "../tools/toolbox.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import { openSubagent, withBuiltIn } from "./open-subagent.ts";
import { openModel, type RunModel, searchThrough } from "./run-model.ts";
import type { Run, RunOptions } from "./run-types.ts";
import { openingOf } from "./session-opening.ts";
import { toolboxFor } from "./toolbox.ts";

/** Nobody is watching to stop a subagent that goes in circles. */
const maxSubagentCalls = 200;

/** Throws when a folder does not exist or the provider cannot work. */
export async function prepareRun(options: RunOptions): Promise<Run> {
  const { flags, log, settings, paths, cwd, project, tracer, startedBy } = options;
  const { headless, fallbackModel, prompts } = flags;
  const env = commandEnv(options.env, project);
  const model = await openModel(options);
  const archive = new Archive(log, paths.toolResults);
  const checkpoints = new Checkpoints(paths.checkpoints);
  const shared = options.shared ?? nothingShared();
  const { hub: mcp, notices } = startedBy
    ? sharedServers(options.mcp ?? null, flags.tools.only)
    : await openServers(options, env);

  const reads = (source: SettingSource): boolean => flags.sources.includes(source);
  const trusted = project.isTrusted && reads("project") ? trustedProject(options) : null;
  const ownDiagnostics = (): Diagnostics | undefined =>
    trusted && settings.diagnostics
      ? openDiagnostics(trusted, env["PATH"] ?? "", () => toolbox)
      : undefined;
  const diagnostics = startedBy ? options.diagnostics : ownDiagnostics();
  const promptFiles = new PromptFiles({
    ...options,
    project: trusted,
    modelNamed: (name) => (model.provider === "anthropic" ? modelNamed(name) : null),
  });
  const instructions = (permit?: (path: string) => Promise<boolean>) =>
    readInstructions({ ...options, project: trusted, permit });

  const found = await findSubagents(reads("user") ? paths.agents : [], trusted);
  const agents = withBuiltIn([...found, ...(options.agents ?? [])]);
  const parent = {
    options: { ...options, mcp, diagnostics, shared },
    definitions: agents,
    mode: () => toolbox.mode,
    model: () => model.current(),
    prepare: prepareRun,
  };
  const subagents: Subagents = new Subagents({
    choices: agents,
    open: (task, toolUse) => openSubagent(parent, task, toolUse),
    hooks: () => hooks,
    send: options.send,
    onEvent: options.onSubagentEvent,
  });

  const toolbox: ToolRunner = await toolboxFor({
    ...options,
    mcp,
    env,
    checkpoints,
    memory: archive,
    loadSkill: (name, args) => promptFiles.loadSkill(name, args),
    only: flags.tools.only,
    answerSchema: headless.jsonSchema,
    path: () => log.path,
    search: searchThrough(model.client),
    shared,
    subagents,
    onFileChange: diagnostics && ((change) => diagnostics.changed(change)),
  });

  const hooks: HookRegistry = hooksOf({ ...options, shared }, env, model, () => toolbox.mode);
  options.addHooks?.(hooks, startedBy !== undefined);
  if (trusted)
    followFiles(hooks, trusted, {
      ownRules: reads("user") ? paths.rules : [],
      path: () => log.path,
    });

  const system = promptFrom(prompts);
  const gitEnv = { ...env, PATH: pathOutside(env["PATH"] ?? "", project.root) };
  const git: Git | null = trusted && ((args) => runGit(trusted.cwd, args, gitEnv));
  const parts = { model, toolbox, mcp, promptFiles, system, git, instructions };
  const announced = mcp ? announcerOf(mcp) : () => [];
  const live = new LiveView(log);
  const agent = createAgent(
    {
      log,
      hooks,
      model: model.client,
      toolbox,
      policy: settings.policy,
      rules: model.rules,
      effort: settings.effort,
      clock: systemClock,
      limits: {
        maxCalls: headless.maxTurns ?? (startedBy && maxSubagentCalls),
        maxUsd: headless.maxBudgetUsd,
      },
      spending: shared.spending,
      fallbackModel: fallbackModel && model.nameOf(fallbackModel),
      nameOf: model.nameOf,
      boundaries: boundariesOf(options, hooks, model.client),
      opening: openingOf(options, parts),
      // A task from the model must not use what the user's commands and mentions allow.
      ...(startedBy
        ? {}
        : {
            findCommand: (name, argumentText) => promptFiles.command(name, argumentText),
            ...(mcp && { attachments: (text, signal) => mcp.attachments(text, signal) }),
          }),
      remember: (note) => remember(paths.memory.here, note),
      async announcements(path, signal) {
        return [...announced(path), ...((await diagnostics?.news(signal)) ?? [])];
      },
      rewindFiles: (rewind) => rewindFiles(checkpoints, rewind, (path) => relative(cwd, path)),
    },
    live,
  );

  return {
    agent: tracer?.agent(agent) ?? agent,
    live,
    toolbox,
    opening: {
      system,
      // MCP servers that connect meanwhile add to it.
      get tools() {
        return [...toolbox.definitions, ...smallTools(mcp, settings, model.rules)];
      },
    },
    model: model.client,
    modelName: model.name,
    rules: model.rules,
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
      if (!startedBy) await Promise.all([mcp?.close(), diagnostics?.close()]);
      if (log.path.length > 0 && !startedBy) await hooks.end(reason);
      await toolbox.close();
      await log.close();
    },
  };
}

function trustedProject({ project, paths, env }: RunOptions): TrustedProject {
  const homes = { home: realHome(env), own: paths.root, results: paths.toolResults };
  return { root: project.root, cwd: project.folder, homes };
}

/** What happens between turns: compaction, with the files that summaries read and write. */
function boundariesOf(
  { cwd, settings: { transcriptDir }, tracer }: RunOptions,
  hooks: HookRegistry,
  model: ModelClient,
): AgentOptions["boundaries"] {
  return (session) => {
    const compactor = new Compactor({
      session,
      hooks,
      model: () => model,
      clock: systemClock,
      readFile: (path) => workspaceText(cwd, path),
      transcripts:
        transcriptDir === undefined
          ? undefined
          : { dir: resolve(cwd, transcriptDir), write: writePrivate },
    });
    const boundaries = createTurnBoundaries(session, compactor);
    return tracer?.boundaries(boundaries, session) ?? boundaries;
  };
}

/** The hooks of a session: those of settings files are read when the first event happens. */
function hooksOf(
  options: RunOptions & { shared: SharedByAgents },
  env: Record<string, string>,
  model: RunModel,
  mode: () => PermissionMode,
): HookRegistry {
  const { log, cwd, startedBy, shared } = options;
  return new HookRegistry({
    addVariables: (variables) => void Object.assign(shared.variables, variables),
    base: () => ({
      session_id: log.session,
      transcript_path: log.file,
      cwd,
      permission_mode: claudeModes[mode()],
    }),
    askModel: model.ask,
    load: async () => {
      const { hooks } = await readHooks(options);
      return startedBy ? hooks.filter(({ event }) => isForSubagents(event)) : hooks;
    },
    env,
  });
}
