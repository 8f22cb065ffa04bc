import type { HookEvent } from "../../src/hooks/events.ts";
import { HookRegistry, type HookHandler } from "../../src/hooks/registry.ts";

type Handlers = { [E in HookEvent]?: HookHandler<E> };

/** A registry with these handlers and no hooks of settings. */
export function hooksWith(handlers: Handlers = {}): HookRegistry {
  const hooks = new HookRegistry({
    base: () => ({ session_id: "s", transcript_path: "/s", cwd: "/w", permission_mode: "default" }),
    load: async () => [],
    env: {},
  });
  const add = <E extends HookEvent>(event: E, handler: HookHandler<E>) =>
    hooks.register(event, undefined, handler, { source: "test", name: event });
  const {
    Notification,
    PermissionRequest,
    SessionStart,
    PreCompact,
    PostCompact,
    PreToolUse,
    PostToolUse,
    UserPromptSubmit,
    Stop,
  } = handlers;
  if (Notification) add("Notification", Notification);
  if (PermissionRequest) add("PermissionRequest", PermissionRequest);
  if (SessionStart) add("SessionStart", SessionStart);
  if (PreCompact) add("PreCompact", PreCompact);
  if (PostCompact) add("PostCompact", PostCompact);
  if (PreToolUse) add("PreToolUse", PreToolUse);
  if (PostToolUse) add("PostToolUse", PostToolUse);
  if (UserPromptSubmit) add("UserPromptSubmit", UserPromptSubmit);
  if (Stop) add("Stop", Stop);
  return hooks;
}
