import type { ControlChannel } from "../control/channel.ts";
import type { ClientHook } from "../control/initialize.ts";
import { hookEvents, isForSubagents } from "../hooks/events.ts";
import { parseOutput } from "../hooks/parse-output.ts";
import type { HookRegistry } from "../hooks/registry.ts";

/** Registers the hooks that run in the client. Events that do not exist here are left out. */
export function registerClientHooks(
  hooks: HookRegistry,
  channel: ControlChannel,
  wanted: readonly ClientHook[],
  isSubagent: boolean,
): void {
  for (const { event: name, matcher, callbackId, timeoutMs } of wanted) {
    const event = hookEvents.find((known) => known === name);
    if (!event || (isSubagent && !isForSubagents(event))) continue;
    hooks.register(
      event,
      matcher,
      async (input, { signal }) => {
        const id = "tool_use_id" in input ? { tool_use_id: input.tool_use_id } : {};
        const request = { subtype: "hook_callback", callback_id: callbackId, input, ...id };
        const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
        const response = await channel.request(request, AbortSignal.any([signal, ...limit]));
        return parseOutput(response) ?? {};
      },
      { source: "client", name: callbackId },
    );
  }
}
