import { HookRegistry, type HookHandler } from "../../../src/extensions/hooks/registry.ts";

/** What every event has. */
export const base = {
  session_id: "s",
  transcript_path: "/s.jsonl",
  cwd: "/tmp",
  permission_mode: "default",
};
/** How a hook is run, and the call that it is asked about. */
export const run = { signal: new AbortController().signal, emit: () => undefined };
export const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };

type Event = Parameters<HookRegistry["has"]>[0];
type Handlers = { [E in Event]?: HookHandler<E> };

/** A registry with these handlers and no hooks of settings. */
export function hooksWith(handlers: Handlers = {}): HookRegistry {
  const hooks = new HookRegistry({
    base: () => base,
    load: async () => [],
    env: {},
  });
  const isEvent = (name: string): name is Event => Object.hasOwn(handlers, name);
  const add = <E extends Event>(event: E): void => {
    const handler: HookHandler<E> | undefined = handlers[event];
    if (handler) hooks.register(event, undefined, handler, { source: "test", name: event });
  };
  for (const event of Object.keys(handlers)) if (isEvent(event)) add(event);
  return hooks;
}

type SettingsHook = Awaited<
  ReturnType<ConstructorParameters<typeof HookRegistry>[0]["load"]>
>[number];
type Written = { timeoutMs?: number; isAsync?: boolean; isProject?: boolean };

/** A shell command in the settings. */
export const commandHook = (event: Event, command: string, more: Written = {}): SettingsHook => ({
  event,
  command,
  matcher: undefined,
  isAsync: false,
  timeoutMs: 60_000,
  source: "f",
  folder: "/p",
  isProject: false,
  ...more,
});
