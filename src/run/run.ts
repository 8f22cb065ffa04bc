/** Opens the parts of a run, in order: each is a value before the next needs it. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Budget } from "../agent/budget.ts";
import { findPrices, writesScripts } from "../model/catalog.ts";
import { builtInCommands } from "../agent/slash-commands.ts";
import { promptFrom } from "../agent/opening.ts";
import { Subagents } from "../agent/subagents.ts";
import { LiveView } from "../context/view/view.ts";
import { type Diagnostics, openDiagnostics } from "../extensions/diagnostics/diagnostics.ts";
import { findStatusLine } from "../extensions/status-line.ts";
import { hookWords, readHooks } from "../extensions/hooks/settings.ts";
import { type EndReason, isForSubagents } from "../extensions/hooks/output.ts";
import {
  listPrompts,
  openServers,
  sharedServers,
  smallTools,
} from "../extensions/mcp/open-servers.ts";
import { commandEnv } from "../trust/project/project.ts";
import { Archive } from "../log/catalog.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { CostsElsewhere } from "../log/usage.ts";
import { addSubagents, nothingShared, type SharedByAgents } from "../tools/toolbox.ts";
import { openAgent } from "./agent.ts";
import { type OpenedFolder, openFolder } from "./folder.ts";
import { openModel, searchThrough } from "./model.ts";
import type { RunOptions } from "./run-options.ts";
import { type ChildRun, openSubagentFor } from "./subagent.ts";
import { attend, openToolbox } from "./toolbox.ts";
import type { AskModel } from "../extensions/hooks/command-hook.ts";
import { HookRegistry } from "../extensions/hooks/registry.ts";
import { followFiles } from "../extensions/instructions/instructions.ts";
import type { Spending } from "../protocol/budget.ts";
import type { ModelRules } from "../protocol/model.ts";
import { claudeModes } from "../protocol/permission.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import { holds } from "../tools/workspace.ts";

/**
 * Files of the workspace that the user's own hooks and status line name: those run outside the sandbox, so
 * writing them is asked about. Looked up for each subagent, too, as there may be more by then.
 */
async function outsideScripts(
  options: RunOptions,
  read: ReturnType<typeof readHooks>,
): Promise<string[]> {
  const { root } = options.project;
  const own = (await read).hooks.filter(({ isProject }) => !isProject).map(hookWords);
  const statusLine = await findStatusLine(options);
  if (statusLine && !statusLine.isProject) own.push(statusLine.command);
  const words = own.flatMap((text) => text.replace(/["']/g, "").split(/[\s=;|&()<>]+/));
  const paths = words.map((word) =>
    resolve(root, word.replace(/^\$\{?(?:CLAUDE_PROJECT_DIR|PWD)\}?\/?/, "./")),
  );
  return [...new Set(paths)].filter(
    (path) => path !== root && holds(root, path) && existsSync(path),
  );
}

/** One run of the agent: its parts, and how it ends. */
export type Run = Awaited<ReturnType<typeof assemble>>;

/** Throws, and closes the log, when a folder does not exist or the provider cannot work. */
export const prepareRun = (options: RunOptions): Promise<Run> =>
  assemble(options).catch(async (error: unknown) => {
    await options.log.close();
    throw error;
  });

async function assemble(options: RunOptions) {
  const { flags, log, settings, paths, parent } = options;
  const shared = parent?.shared ?? nothingShared();
  const env = commandEnv(options.env, options.project);
  const model = await openModel(options);
  const archive = new Archive(log, paths.toolResults);
  const checkpoints = new Checkpoints(paths.checkpoints);
  const launcher = Promise.withResolvers<ToolRunner["launchProgram"]>();
  const { hub: mcp, notices } = parent
    ? sharedServers(parent.mcp, flags.tools.only)
    : await openServers(options, env, async (...program) => (await launcher.promise)(...program));
  const folder = await openFolder(options, env, model.known);
  const { trusted, promptFiles, git, instructions } = folder;

  const toolbox = await openToolbox({
    ...options,
    mcp,
    env,
    checkpoints,
    memory: archive,
    loadSkill: (name, args) => promptFiles.loadSkill(name, args),
    only: flags.tools.only,
    answerSchema: flags.headless.jsonSchema,
    scripts:
      settings.scripts === "on" || (settings.scripts === "auto" && writesScripts(model.name)),
    path: () => log.path,
    search: searchThrough(model.client),
    shared,
  });
  const launch: ToolRunner["launchProgram"] = (...program) => toolbox.launchProgram(...program);
  launcher.resolve(launch);
  const noAuto = toolbox.mode === "auto" ? await toolbox.whyNoAuto() : null;
  if (noAuto !== null) {
    toolbox.mode = "accept-edits";
    notices.push(noAuto);
  }
  const noUndo = parent ? null : toolbox.snapshots.whyNone();
  if (noUndo !== null) notices.push(noUndo);
  if (!options.isUnattended && !parent) {
    notices.push(...(await toolbox.snapshots.interrupted()));
    attend(toolbox, flags.sources.includes("user") ? paths.memory : null);
  }
  const ownDiagnostics = (): Diagnostics | null =>
    trusted && settings.diagnostics
      ? openDiagnostics({
          ...trusted,
          PATH: env["PATH"] ?? "",
          launch: (program, at) => toolbox.launchProgram(program, { cwd: at, write: false }),
        })
      : null;
  const diagnostics = parent ? parent.diagnostics : ownDiagnostics();
  if (diagnostics) toolbox.watchFiles((change) => diagnostics.changed(change));

  const live = new LiveView(log);
  const budget = parent?.budget ?? openBudget(options, live, model.rules, shared.spending);
  const read = parent?.read ?? readHooks(options);
  const hooks = openHooks(options, { env, askModel: model.ask, toolbox, shared, folder, read });
  toolbox.protect(outsideScripts(options, read));
  const subagents = new Subagents({
    choices: folder.subagents,
    open: openSubagentFor({
      options,
      shares: { mcp, diagnostics, shared, read, budget },
      definitions: folder.subagents,
      toolbox,
      model,
      prepare: (child: RunOptions): Promise<ChildRun> => prepareRun(child),
    }),
    hooks,
    send: options.send,
    onEvent(subagent, event) {
      if (event.type === "entry" && event.entry.type === "checkpoint")
        agent.changed(event.entry.files);
      options.onSubagentEvent?.(subagent, event);
    },
    askInBackground: options.askInBackground ?? ((ask, signal) => agent.ask(ask, signal)),
  });
  addSubagents(toolbox, subagents.choices, (task, run) => subagents.start(task, run));

  const system = promptFrom(flags.prompts, toolbox.names);
  const agent = openAgent(options, {
    model,
    toolbox,
    hooks,
    mcp,
    diagnostics,
    folder,
    checkpoints,
    shared,
    system,
    live,
    budget,
  });

  return {
    agent,
    /** The view of its log. */
    live,
    toolbox,
    /** The first entry of a new session, if it began now. */
    opening: {
      system,
      // MCP servers that connect later add to it.
      get tools() {
        return [...toolbox.definitions, ...smallTools(mcp, settings, model.rules)];
      },
    },
    model: model.client,
    modelName: model.name,
    rules: model.rules,
    archive,
    /** Asks git about the folder; null when it is not trusted. */
    git,
    /** The instructions that apply here. */
    instructions,
    hooks,
    /** The subagents that can be started. */
    agents: folder.subagents,
    /** Running subagents. */
    subagents,
    /** Null: no MCP servers are configured. */
    mcp,
    /** Problems with the parts, one sentence each. */
    notices,
    /** Commands and skills that the user can run with a slash. */
    commands: async () => {
      const found = [...(await promptFiles.list()), ...listPrompts(mcp)];
      const names = new Set(found.map(({ name }) => name));
      return [...found, ...builtInCommands.filter(({ name }) => !names.has(name))];
    },
    /** Stops the agent, waits until its log is complete, and closes everything. */
    async close(reason: EndReason = "other"): Promise<void> {
      await Promise.all([agent.close(), subagents.close()]);
      if (!parent) await Promise.all([mcp?.close(), diagnostics?.close()]);
      if (log.path.length > 0 && !parent) await hooks.end(reason);
      await toolbox.close();
      if (!parent) await shared.place?.close();
      await log.close();
    },
  };
}

/** The spending caps of a run, and the amounts spent earlier and by other sessions. */
function openBudget(
  { settings, paths, log, send, isUnattended }: RunOptions,
  { view }: LiveView,
  { prices }: ModelRules,
  spending: Spending,
): Budget {
  const own = { session: log.session, sinceMs: Date.now() };
  const costs = new CostsElsewhere({ paths, findPrices, own });
  return new Budget({
    caps: settings.budget,
    spending,
    sessionUsd: view.bills.usd(prices),
    elsewhere: () => costs.read(Date.now()),
    isAttended: send !== undefined && !isUnattended,
  });
}

type HookSources = {
  env: Record<string, string>;
  askModel: AskModel;
  toolbox: Pick<ToolRunner, "mode" | "launchProgram">;
  shared: SharedByAgents;
  folder: OpenedFolder;
  /** Once for all who need them: the scripts that they run are hashed. */
  read: ReturnType<typeof readHooks>;
};

/** The hooks of a session. */
function openHooks(
  options: RunOptions,
  { env, askModel, toolbox, shared, folder, read }: HookSources,
): HookRegistry {
  const { log, cwd, parent, addHooks } = options;
  const hooks = new HookRegistry({
    addVariables: (variables) => void Object.assign(shared.variables, variables),
    base: () => ({
      session_id: log.session,
      transcript_path: log.file,
      cwd,
      permission_mode: claudeModes[toolbox.mode],
    }),
    askModel,
    load: async () => {
      const found = await read;
      return parent ? found.hooks.filter(({ event }) => isForSubagents(event)) : found.hooks;
    },
    env,
    launch: (...program) => toolbox.launchProgram(...program),
  });
  addHooks?.(hooks, parent !== undefined);
  const { trusted, ownRules } = folder;
  if (trusted) followFiles(hooks, trusted, { ownRules, path: () => log.path });
  return hooks;
}
