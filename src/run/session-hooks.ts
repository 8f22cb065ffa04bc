import { isForSubagents } from "../hooks/events.ts";
import type { AskModel } from "../hooks/prompt-hook.ts";
import { HookRegistry } from "../hooks/registry.ts";
import { claudeModes, type PermissionMode } from "../protocol/permission.ts";
import type { SharedByAgents } from "../tools/toolbox.ts";
import type { RunOptions } from "./run-types.ts";

/** The hooks of a session: those of settings files are read when the first event happens. */
export function hooksOf(
  options: RunOptions & { shared: SharedByAgents },
  env: Record<string, string>,
  { mode, askModel }: { mode(): PermissionMode; askModel: AskModel },
): HookRegistry {
  const { log, cwd, flags, startedBy, shared } = options;
  return new HookRegistry({
    addVariables: (variables) => void Object.assign(shared.variables, variables),
    base: () => ({
      session_id: log.session,
      transcript_path: log.file,
      cwd,
      permission_mode: claudeModes[mode()],
    }),
    askModel,
    load: async () => {
      const { readHooks } = await import("../project/hook-settings.ts");
      const { hooks } = await readHooks({ ...options, sources: flags.sources });
      return startedBy ? hooks.filter(({ event }) => isForSubagents(event)) : hooks;
    },
    env,
  });
}
