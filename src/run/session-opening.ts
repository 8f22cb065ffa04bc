/** What a session begins with, and what is new when it is resumed. */

import type { AgentOptions } from "../agent/agent.ts";
import type { Git } from "../agent/opening/environment.ts";
import { openingFacts } from "../agent/opening/opening.ts";
import { logVersion } from "../log/parse.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import { firstTools, lacksSearch } from "../extensions/mcp/session-tools.ts";
import type { PromptFiles } from "../extensions/project/prompt-files/prompt-files.ts";
import type { readInstructions } from "../extensions/project/session-instructions.ts";
import { systemClock } from "../base/clock.ts";
import type { Entry } from "../protocol/entry.ts";
import { changedFact, changedFiles } from "../tools/files/changed-files.ts";
import type { Toolbox } from "../tools/tool.ts";
import type { RunModel } from "./run-model.ts";
import type { RunOptions } from "./run-types.ts";

type Parts = {
  model: RunModel;
  toolbox: Toolbox;
  mcp: Hub | null;
  promptFiles: PromptFiles;
  system: string;
  git: Git | null;
  /** `permit`: asks the user about a file outside the project. */
  instructions(permit: (path: string) => Promise<boolean>): ReturnType<typeof readInstructions>;
};

export function openingOf(
  { flags, settings, log, cwd, startedBy }: RunOptions,
  { model, toolbox, mcp, promptFiles, system, git, instructions }: Parts,
): AgentOptions["opening"] {
  const { prompts, tools, headless } = flags;
  return async (permit) => {
    const { facts, notes } = await instructions(permit);
    const skills = offers("Skill", toolbox, log.path) ? await promptFiles.skillLines() : [];
    const servers = await firstTools(mcp, log.path, settings, model.rules);
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
      startedBy,
      cwd,
      addedFolders: settings.addDirs,
      mode: settings.permissionMode,
      instructions: [...facts, ...skills],
      git,
      changes: changedFact(await changedFiles(log.path), cwd),
      now: new Date(systemClock.now()),
    });
    return [...opening, ...notes];
  };
}

/** Whether the session has a tool; a resumed one keeps the tools that it began with. */
function offers(tool: string, { definitions }: Toolbox, path: readonly Entry[]): boolean {
  const began = path.findLast((entry) => entry.type === "session");
  return (began?.tools ?? definitions).some(({ name }) => name === tool);
}
