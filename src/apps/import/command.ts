/** `mini-claude import`: runs the importer with what a session here begins with. */

import { join } from "node:path";
import systemPrompt from "../../agent/prompts/system.md" with { type: "text" };
import { childEnv } from "../../config/credentials.ts";
import { projectName } from "../../config/paths.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import type { SubcommandIo } from "../../config/subcommands.ts";
import { Checkpoints } from "../../log/checkpoints.ts";
import { LogImporter } from "../../log/log-importer.ts";
import { logVersion } from "../../log/parse.ts";
import { removeSession } from "../../log/remove.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { toolboxFor } from "../../run/toolbox.ts";
import type { Memory } from "../../tools/recall/memory.ts";

export { help } from "./options.ts";

/** Returns the exit code. Throws when a folder of the settings does not exist. */
export async function run(args: readonly string[], options: SubcommandIo): Promise<number> {
  const { paths, env, cwd, out, err, progress } = options;
  const { settings, problems } = loadSettings({ env, file: paths.settings, flags: [] });
  for (const problem of problems) err(`${problem}\n`);
  const { runImport } = await import("./import.ts");
  return runImport(args, {
    out,
    err,
    cwd,
    ...(progress ? { progress } : {}),
    sessions: paths.sessions,
    destination: {
      version: logVersion,
      system: systemPrompt.trim(),
      tools: await toolDefinitions(options, settings),
      model: settings.model,
    },
    begin: (folder, session) =>
      LogImporter.begin(join(paths.sessions, projectName(folder)), session),
    remove: removeSession,
  });
}

/** A session's first entry fixes its tools, even when another agent began it. */
async function toolDefinitions(
  { paths, env, cwd }: SubcommandIo,
  settings: Settings,
): Promise<ToolDefinition[]> {
  const toolbox = await toolboxFor({
    settings: { ...settings, addDirs: [] },
    paths,
    cwd,
    env: childEnv(env),
    checkpoints: new Checkpoints(paths.checkpoints),
    memory: emptyMemory,
    loadSkill: async () => null,
    path: () => [],
  });
  const { definitions } = toolbox;
  await toolbox.close();
  return definitions;
}

const emptyMemory: Memory = {
  search: async () => [],
  searchProject: async () => [],
  open: async () => null,
  callOf: () => null,
};
