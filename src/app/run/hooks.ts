import { isForSubagents } from "../../extensions/hooks/output.ts";
import type { AskModel } from "../../extensions/hooks/command-hook.ts";
import { HookRegistry } from "../../extensions/hooks/registry.ts";
import type { readHooks } from "../../extensions/hooks/settings.ts";
import { followFiles } from "../../extensions/instructions/session-instructions.ts";
import { claudeModes } from "../../protocol/permission.ts";
import type { SharedByAgents } from "../../tools/toolbox.ts";
import type { ToolRunner } from "../../tools/tool-runner.ts";
import type { OpenedFolder } from "./folder.ts";
import type { RunOptions } from "./run-options.ts";

type HookSources = {
  env: Record<string, string>;
  askModel: AskModel;
  toolbox: Pick<ToolRunner, "mode">;
  shared: SharedByAgents;
  folder: OpenedFolder;
  /** Once for all who need them: the scripts that they run are hashed. */
  read: ReturnType<typeof readHooks>;
};

/** The hooks of a session. */
export function openHooks(
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
  });
  addHooks?.(hooks, parent !== undefined);
  const { trusted, ownRules } = folder;
  if (trusted) followFiles(hooks, trusted, { ownRules, path: () => log.path });
  return hooks;
}
