/** The hooks in a settings file: `{"PreToolUse": [{"matcher": "Bash", "hooks": [{…}]}]}`. */

import { z } from "zod";
import { isHookEvent, type HookEvent } from "./events.ts";
import { matcherOf } from "./matcher.ts";

export type CommandHook = {
  event: HookEvent;
  matcher?: string;
  command: string;
  timeoutMs: number;
  /** It runs in the background, and its answer is ignored. */
  isAsync: boolean;
  /** The settings file that it is in. */
  source: string;
  /** For `CLAUDE_PROJECT_DIR`. */
  folder: string;
  /** It comes with the project, so what it allows is limited. */
  isProject: boolean;
};

/** The value of `hooks` in a settings file. */
export type HookSettings = Pick<CommandHook, "source" | "folder" | "isProject"> & {
  hooks: unknown;
};

const defaultTimeoutS = 60;

const groups = z.array(
  z.looseObject({
    matcher: z.string().optional(),
    hooks: z.array(
      z.looseObject({
        type: z.string(),
        command: z.string().optional(),
        timeout: z.number().positive().optional(),
        async: z.boolean().optional(),
      }),
    ),
  }),
);

/** Names that this program once used. */
const formerNames = new Map([
  ["preCompact", "PreCompact"],
  ["postCompact", "PostCompact"],
]);

/** The hooks, and what cannot be used, one sentence each. */
export function parseHooks({ hooks, ...origin }: HookSettings): {
  hooks: CommandHook[];
  problems: string[];
} {
  const found: CommandHook[] = [];
  const problems: string[] = [];
  const wrong = (text: string) => problems.push(`${origin.source}: ${text}`);
  const events = z.record(z.string(), z.unknown()).safeParse(hooks);
  if (!events.success) wrong("“hooks” must be an object of events; it is ignored.");
  for (const [name, value] of Object.entries(events.data ?? {})) {
    const event = formerNames.get(name) ?? name;
    if (!isHookEvent(event)) {
      wrong(`there is no hook event “${name}”; its hooks never run.`);
      continue;
    }
    const parsed = groups.safeParse(
      typeof value === "string" ? [{ hooks: [{ type: "command", command: value }] }] : value,
    );
    if (!parsed.success) wrong(`the hooks of “${name}” have another form; they are ignored.`);
    for (const { matcher, hooks: commands } of parsed.data ?? []) {
      if (matcherOf(matcher) === null) {
        wrong(`the matcher “${matcher}” of ${name} is not a regular expression; it is ignored.`);
        continue;
      }
      for (const { type, command, timeout = defaultTimeoutS, async: isAsync = false } of commands) {
        if (type !== "command" || !command) {
          wrong(`hooks of type “${type}” cannot run here; those of ${name} are ignored.`);
          continue;
        }
        const timeoutMs = timeout * 1_000;
        found.push({
          ...origin,
          event,
          command,
          timeoutMs,
          isAsync,
          ...(matcher ? { matcher } : {}),
        });
      }
    }
  }
  return { hooks: found, problems };
}
