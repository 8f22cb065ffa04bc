/** Instructions, commands, skills and subagents: the user's own, and those of a trusted folder. */

import { type SettingSource } from "../config/flags.ts";
import { realHome } from "../config/paths.ts";
import type { Git } from "../agent/opening.ts";
import { builtInSubagents } from "../agent/subagents.ts";
import { pathOutside, type TrustedProject } from "../trust/project/project.ts";
import { PromptFiles, findSubagents } from "../extensions/commands/prompt-files.ts";
import { readInstructions } from "../extensions/instructions/instructions.ts";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";
import { runGit } from "../trust/git/run.ts";
import type { RunOptions } from "./run-options.ts";

export type OpenedFolder = Awaited<ReturnType<typeof openFolder>>;

/** `modelNamed`: the server's name of a model that a command asks for; null: it has no such model. */
export async function openFolder(
  options: RunOptions,
  env: Record<string, string>,
  modelNamed: (name: string) => string | null,
) {
  const { flags, paths, project } = options;
  const reads = (source: SettingSource): boolean => flags.sources.includes(source);
  const homes = { home: realHome(options.env), own: paths.root, results: paths.toolResults };
  const trusted: TrustedProject | null =
    project.isTrusted && reads("project")
      ? { root: project.root, cwd: project.folder, homes }
      : null;
  const gitEnv = { ...env, PATH: pathOutside(env["PATH"] ?? "", project.root) };
  const git: Git | null = trusted && ((args) => runGit(trusted.cwd, args, gitEnv));
  const defined = await findSubagents(reads("user") ? paths.agents : [], trusted);
  return {
    /** Null: nothing of it is used. */
    trusted,
    /** Asks git about the folder; null when it is not trusted. */
    git,
    promptFiles: new PromptFiles({
      ...options,
      project: trusted,
      modelNamed,
      approves: project.approves,
    }),
    /** `permit`: asks the user about a file outside the project. */
    instructions: (permit?: (path: string) => Promise<boolean>) =>
      readInstructions({ ...options, project: trusted, permit }),
    /** Folders of the user's own rules about files. */
    ownRules: reads("user") ? paths.rules : [],
    subagents: byName([...builtInSubagents, ...defined, ...(options.agents ?? [])]),
  };
}

/** A later definition replaces an earlier one of the same name. */
const byName = (definitions: readonly SubagentDefinition[]): SubagentDefinition[] => [
  ...new Map(definitions.map((definition) => [definition.name, definition])).values(),
];
