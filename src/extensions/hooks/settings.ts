/** The hooks in a settings file: `{"PreToolUse": [{"matcher": "Bash", "hooks": [{…}]}]}`. */

import { z } from "zod";
import { isHookEvent, type HookEvent, matcherOf } from "./events.ts";

/** The value of `hooks` in a settings file. */
export type HookSettings = {
  hooks: unknown;
  /** The settings file that it is in. */
  source: string;
  /** For `CLAUDE_PROJECT_DIR`. */
  folder: string;
  /** It comes with the project, so what it allows is limited. */
  isProject: boolean;
};

export type SettingsHook = Omit<HookSettings, "hooks"> & {
  event: HookEvent;
  matcher: string | undefined;
} & NonNullable<ReturnType<typeof hookIn>>;

export type CommandHook = Extract<SettingsHook, { command: string }>;

/** A question to a model. */
export type PromptHook = Extract<SettingsHook, { prompt: string }>;

const defaultTimeoutS = { command: 60, prompt: 30 };

const groups = z.array(
  z.looseObject({
    matcher: z.string().optional(),
    hooks: z.array(
      z.looseObject({
        type: z.string(),
        command: z.string().optional(),
        prompt: z.string().optional(),
        model: z.string().optional(),
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
  hooks: SettingsHook[];
  problems: string[];
} {
  const found: SettingsHook[] = [];
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
    if (!parsed.success) wrong(`the hooks of “${name}” are malformed; they are ignored.`);
    for (const { matcher, hooks: commands } of parsed.data ?? []) {
      if (matcherOf(matcher) === null) {
        wrong(
          `the matcher “${matcher}” of ${name} is not a valid regular expression; it is ignored.`,
        );
        continue;
      }
      for (const one of commands) {
        const hook = hookIn(one);
        if (hook) found.push({ ...origin, event, matcher, ...hook });
        else wrong(`hooks of type “${one.type}” cannot run here; those of ${name} are ignored.`);
      }
    }
  }
  return { hooks: found, problems };
}

type Written = z.infer<typeof groups>[number]["hooks"][number];

/**
 * Null: it is of a type that does not exist here, or incomplete. `isAsync`: it runs in the background,
 * and its answer is ignored.
 */
function hookIn({ type, command, prompt, model, timeout, async: isAsync = false }: Written) {
  const limitOf = (usual: number): number => (timeout ?? usual) * 1_000;
  if (type === "command" && command)
    return { command, isAsync, timeoutMs: limitOf(defaultTimeoutS.command) };
  if (type === "prompt" && prompt)
    return { prompt, model: model || undefined, timeoutMs: limitOf(defaultTimeoutS.prompt) };
  return null;
}
