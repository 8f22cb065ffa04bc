/** The agent of a run, put together from its parts, and what its session begins with. */

import { existsSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { newDay, openingFacts } from "../agent/opening.ts";
import { type Agent, createAgent } from "../agent/agent.ts";
import type { Budget } from "../agent/budget.ts";
import type { AgentOptions } from "../agent/options.ts";
import type { LiveView } from "../context/view/view.ts";
import type { Diagnostics } from "../extensions/diagnostics/diagnostics.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import { remember } from "../extensions/instructions/memory.ts";
import { firstTools, lacksSearch } from "../extensions/mcp/open-servers.ts";
import type { Checkpoints } from "../log/checkpoints.ts";
import { logVersion } from "../log/parse.ts";
import type { ModelClient } from "../model/client.ts";
import { systemClock } from "../base/clock.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact, Entry } from "../protocol/entry.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { shrinkImage } from "../tools/files/image.ts";
import type { Toolbox } from "../tools/tool.ts";
import type { SharedByAgents } from "../tools/toolbox.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import { changedFact, changedFiles, workspaceText } from "./changed-files.ts";
import type { OpenedFolder } from "./folder.ts";
import type { RunModel } from "./model.ts";
import type { RunOptions } from "./run-options.ts";

type AgentParts = {
  model: RunModel;
  toolbox: ToolRunner;
  hooks: HookRegistry;
  mcp: Hub | null;
  diagnostics: Diagnostics | null;
  folder: OpenedFolder;
  checkpoints: Checkpoints;
  shared: SharedByAgents;
  /** The system prompt. */
  system: string;
  live: LiveView;
  budget: Budget;
};

/** Subagents run unwatched, so a loop needs a limit. */
const maxSubagentCalls = 200;

export function openAgent(options: RunOptions, parts: AgentParts): Agent {
  const { flags, log, settings, paths, cwd, parent } = options;
  const { model, toolbox, hooks, mcp, diagnostics, folder, checkpoints, shared, live } = parts;
  const { headless, fallbackModel } = flags;
  const isAttended = options.send !== undefined && !options.isUnattended;
  const usualCalls = parent ? maxSubagentCalls : isAttended ? settings.maxCalls : 0;
  return createAgent(
    {
      log,
      hooks,
      model: model.client,
      toolbox,
      policy: settings,
      rules: model.rules,
      effort: settings.effort,
      clock: systemClock,
      limits: {
        maxCalls: headless.maxTurns ?? (usualCalls || undefined),
        maxUsd: headless.maxBudgetUsd,
        isAttended,
      },
      shrinkImage,
      spending: shared.spending,
      budget: parts.budget,
      fallbackModel: fallbackModel && model.nameOf(fallbackModel),
      resolveModelName: model.nameOf,
      boundaries: createBoundaries(options, hooks, model.client),
      opening: openingFor(options, parts),
      // A task from the model must not use what the user's commands and mentions allow.
      ...(parent
        ? {}
        : {
            findCommand: (name, argumentText) => folder.promptFiles.command(name, argumentText),
            ...(mcp && { attachments: (text, signal) => mcp.attachments(text, signal) }),
          }),
      remember: (note) => remember(paths.memory.here, note),
      async announcements(path, signal) {
        const day = newDay(path, new Date(systemClock.now()));
        const found = (await diagnostics?.news(signal)) ?? [];
        return [...(day ? [day] : []), ...(mcp?.announcements(path) ?? []), ...found];
      },
      async rewindFiles(rewind) {
        const { inNewPlace, openContents, rewindFiles } = await import("../snapshots/rewind.ts");
        const contents = openContents(paths.root, await realpath(cwd), checkpoints);
        const moved = inNewPlace(rewind, log.path, cwd);
        const tried = [...moved.undo, ...moved.redo].flatMap(({ files }) =>
          files.map(({ path }) => path),
        );
        await toolbox.snapshots.writing(tried);
        const done = await rewindFiles(contents, moved, (path) => relative(cwd, path));
        toolbox.snapshots.wrote(
          done.files.map(({ path }) => path),
          tried,
        );
        return done;
      },
    },
    live,
  );
}

/** Compaction between turns, with the files that summaries read and write. */
function createBoundaries(
  { cwd, settings: { transcriptDir }, send }: RunOptions,
  hooks: HookRegistry,
  model: ModelClient,
): AgentOptions["boundaries"] {
  const transcripts =
    transcriptDir === undefined
      ? undefined
      : {
          dir: resolve(cwd, transcriptDir),
          write: async (path: string, text: string) => {
            await mkdir(dirname(path), { recursive: true, mode: 0o700 });
            await writeFile(path, text, { mode: 0o600 });
          },
        };
  // Without a next message it would be paid for and never used.
  const prepares = send !== undefined;
  return async (session) => {
    const { createTurnBoundaries } = await import("../agent/compaction/at-boundary.ts");
    const readFile = (path: string): Promise<string | null> => workspaceText(cwd, path);
    const parts = { session, hooks, model, clock: systemClock, readFile, transcripts };
    return createTurnBoundaries({ ...parts, prepares });
  };
}

/** Makes the first facts of a session, or those that are new when it is resumed. */
function openingFor(
  { flags, settings, log, cwd, parent, isUnattended = false }: RunOptions,
  { model, toolbox, mcp, folder, system }: AgentParts,
): AgentOptions["opening"] {
  const { prompts, tools, headless } = flags;
  return async (permit) => {
    const { facts, notes } = await folder.instructions(permit);
    const replaces = {
      system: (prompts.system ?? prompts.append) !== undefined,
      tools: Boolean(tools.only ?? headless.jsonSchema) || lacksSearch(mcp, log.path),
    };
    const offered = replaces.tools ? toolbox.definitions : toolsOf(log.path, toolbox);
    const offers = (tool: string): boolean => offered.some(({ name }) => name === tool);
    const skills = offers("Skill") ? await folder.promptFiles.skillLines() : [];
    const servers = await firstTools(mcp, log.path, settings, model.rules);
    const from = goneFolder(log.path, cwd);
    const opening = await openingFacts({
      path: log.path,
      session: log.session,
      version: logVersion,
      model: model.name,
      tools: [...toolbox.definitions, ...servers],
      system,
      replaces,
      startedBy: parent?.startedBy,
      cwd,
      addedFolders: settings.addDirs,
      mode: settings.permissionMode,
      hasSandbox: offers("Bash") ? await toolbox.hasSandbox() : null,
      isUnattended,
      submitsPlans: offers("ExitPlanMode"),
      instructions: [...facts, ...skills],
      git: folder.git,
      hasMoved: from !== null,
      changes: [
        ...(from === null ? [] : [movedFact(from, cwd)]),
        ...changedFact(await changedFiles(log.path), cwd),
      ],
      now: new Date(systemClock.now()),
    });
    return [...opening, ...notes];
  };
}

/** The folder that the session worked in, if it was renamed or moved to this one; null: it was not. */
function goneFolder(path: readonly Entry[], cwd: string): string | null {
  const began = path.findLast((entry) => entry.type === "session");
  return began && began.cwd !== cwd && !existsSync(began.cwd) ? began.cwd : null;
}

function movedFact(from: string, cwd: string): ContextFact {
  const text = `The folder ${from} is gone; its files are now in ${cwd}. Use the new paths.`;
  return contextFact("reminder", "the folder was moved", text);
}

/** A resumed session keeps the tools that it began with, if their format is today's. */
function toolsOf(path: readonly Entry[], { definitions }: Toolbox): readonly ToolDefinition[] {
  const began = path.findLast((entry) => entry.type === "session");
  return began && began.version >= logVersion ? began.tools : definitions;
}
