/** Gathers what the first facts of a session say. */

import type { AgentOptions } from "../agent/options.ts";
import { openingFacts } from "../agent/opening.ts";
import { logVersion } from "../log/parse.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import { firstTools, lacksSearch } from "../extensions/mcp/open-servers.ts";
import { systemClock } from "../base/clock.ts";
import { existsSync } from "node:fs";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact, Entry } from "../protocol/entry.ts";
import { changedFact, changedFiles } from "../tools/files/changed-files.ts";
import type { Toolbox } from "../tools/tool.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { OpenedFolder } from "./folder.ts";
import type { RunModel } from "./model.ts";
import type { RunOptions } from "./run-options.ts";

type OpeningParts = {
  model: RunModel;
  toolbox: ToolRunner;
  mcp: Hub | null;
  folder: OpenedFolder;
  /** The system prompt. */
  system: string;
};

/** Makes the first facts of a session, or those that are new when it is resumed. */
export function openingFor(
  { flags, settings, log, cwd, parent, isUnattended = false }: RunOptions,
  { model, toolbox, mcp, folder, system }: OpeningParts,
): AgentOptions["opening"] {
  const { prompts, tools, headless } = flags;
  return async (permit) => {
    const { facts, notes } = await folder.instructions(permit);
    const skills = offers("Skill", toolbox, log.path) ? await folder.promptFiles.skillLines() : [];
    const servers = await firstTools(mcp, log.path, settings, model.rules);
    const from = goneFolder(log.path, cwd);
    const opening = await openingFacts({
      path: log.path,
      session: log.session,
      version: logVersion,
      model: model.name,
      tools: [...toolbox.definitions, ...servers],
      system,
      replaces: {
        system: (prompts.system ?? prompts.append) !== undefined,
        tools: Boolean(tools.only ?? headless.jsonSchema) || lacksSearch(mcp, log.path),
      },
      startedBy: parent?.startedBy,
      cwd,
      addedFolders: settings.addDirs,
      mode: settings.permissionMode,
      hasSandbox: offers("Bash", toolbox, log.path) ? await toolbox.hasSandbox() : null,
      isUnattended,
      submitsPlans: offers("ExitPlanMode", toolbox, log.path),
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

/** Whether the session has a tool; a resumed one keeps the tools that it began with. */
function offers(tool: string, { definitions }: Toolbox, path: readonly Entry[]): boolean {
  const began = path.findLast((entry) => entry.type === "session");
  return (began?.tools ?? definitions).some(({ name }) => name === tool);
}
