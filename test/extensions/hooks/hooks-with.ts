import { hookEvents, type HookEvent } from "../../../src/extensions/hooks/output.ts";
import { HookRegistry, type HookHandler } from "../../../src/extensions/hooks/registry.ts";

type Handlers = { [E in HookEvent]?: HookHandler<E> };

/** A registry with these handlers and no hooks of settings. */
export function hooksWith(handlers: Handlers = {}): HookRegistry {
  const hooks = new HookRegistry({
    base: () => ({ session_id: "s", transcript_path: "/s", cwd: "/w", permission_mode: "default" }),
    load: async () => [],
    env: {},
  });
  const add = <E extends HookEvent>(event: E): void => {
    const handler: HookHandler<E> | undefined = handlers[event];
    if (handler) hooks.register(event, undefined, handler, { source: "test", name: event });
  };
  for (const event of hookEvents) add(event);
  return hooks;
}
