/**
 * The hooks of settings files, `{"PreToolUse": [{"matcher": "Bash", "hooks": [{…}]}]}`: the user's, those
 * of other agents, and the project's.
 */

import { z } from "zod";
import { isHookEvent, type HookEvent, compileMatcher } from "./output.ts";
import { join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { statusLineSchema } from "../../config/schema.ts";
import type { Settings } from "../../config/settings.ts";
import type { Flags } from "../../config/flags.ts";
import { parseJsonc } from "../../base/guards.ts";
import { once } from "../../base/once.ts";
import { projectSettings } from "../../trust/rules/project-rules.ts";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import { type Project, readStart, hashOf } from "../../trust/project/project.ts";

/** The value of `hooks` in a settings file. */
type HookSettings = {
  hooks: unknown;
  /** The settings file that it is in. */
  source: string;
  /** For `CLAUDE_PROJECT_DIR`. */
  folder: string;
  /** The hook comes with the project, so its permissions are limited. */
  isProject: boolean;
};

export type SettingsHook = Omit<HookSettings, "hooks"> & {
  event: HookEvent;
  matcher: string | undefined;
} & NonNullable<ReturnType<typeof parseHook>>;

/** Its shell command, or its question to a model. */
export const hookWords = (hook: SettingsHook): string =>
  hook.command === undefined ? hook.prompt : hook.command;

/** Identifies it by all that it says. */
export const hashOfHook = (hook: SettingsHook): string =>
  hashOf("hook", hook.event, hook.matcher, hookWords(hook));

const isApprovedHook = (hook: SettingsHook, { approves }: Project): boolean =>
  !hook.isProject || approves?.(hashOfHook(hook)) !== false;

export type CommandHook = Extract<SettingsHook, { command: string }>;

/** A question to a model. */
export type PromptHook = Extract<SettingsHook, { prompt: string }>;

const defaultTimeoutS = { command: 60, prompt: 30 };

const groups = once(() =>
  z.array(
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
  ),
);

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
    if (!isHookEvent(name)) {
      wrong(`there is no hook event “${name}”; its hooks never run.`);
      continue;
    }
    const parsed = groups().safeParse(value);
    if (!parsed.success) wrong(`the hooks of “${name}” are malformed; they are ignored.`);
    for (const { matcher, hooks: commands } of parsed.data ?? []) {
      if (compileMatcher(matcher) === null) {
        wrong(
          `the matcher “${matcher}” of ${name} is not a valid regular expression; it is ignored.`,
        );
        continue;
      }
      for (const command of commands) {
        const hook = parseHook(command);
        if (hook) found.push({ ...origin, event: name, matcher, ...hook });
        else
          wrong(`hooks of type “${command.type}” cannot run here; those of ${name} are ignored.`);
      }
    }
  }
  return { hooks: found, problems };
}

type WrittenHook = z.infer<ReturnType<typeof groups>>[number]["hooks"][number];

/**
 * Null: it is of a type that does not exist here, or incomplete. `isAsync`: it runs in the background,
 * and its answer is ignored.
 */
function parseHook({ type, command, prompt, model, timeout, async: isAsync = false }: WrittenHook) {
  const toMs = (usual: number): number => (timeout ?? usual) * 1_000;
  if (type === "command" && command)
    return { command, isAsync, timeoutMs: toMs(defaultTimeoutS.command) };
  if (type === "prompt" && prompt)
    return { prompt, model: model || undefined, timeoutMs: toMs(defaultTimeoutS.prompt) };
  return null;
}

type HookFileOptions = {
  /** Which settings files are read. */
  flags: Pick<Flags, "sources">;
  settings: Settings;
  paths: Pick<Paths, "settings" | "foreignSettings">;
  project: Project;
};

/** The hooks of all settings files, the user's first, and what in them cannot be used. */
export async function readHooks({ settings, ...options }: HookFileOptions) {
  const { paths, project } = options;
  const own = { hooks: settings.hooks, source: paths.settings, folder: project.root };
  const files = settings.disableAllHooks ? [] : await readSettingsFiles(options);
  const isOff = settings.disableAllHooks || files.some((file) => !file.isProject && file.isOff);
  const found = isOff ? [] : [{ ...own, isProject: false }, ...files.filter((file) => !file.isOff)];
  const parsed = found.map(parseHooks);
  return {
    hooks: parsed.flatMap(({ hooks }) => hooks).filter((hook) => isApprovedHook(hook, project)),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

const maxBytes = 256 * 1024;

const schema = once(() =>
  z.looseObject({
    hooks: z.record(z.string(), z.unknown()).catch({}),
    disableAllHooks: z.boolean().catch(false),
    statusLine: statusLineSchema.optional().catch(undefined),
  }),
);

/**
 * Hooks and status lines in the settings files of other agents and of the project, from the outer folder to the
 * inner one. Files that cannot be read as settings are left out.
 */
export async function readSettingsFiles({
  flags: { sources },
  paths,
  project: { root, folder, isTrusted },
}: Omit<HookFileOptions, "settings">) {
  const foreign = sources.includes("user") ? paths.foreignSettings : [];
  const names = projectSettings.filter(
    (name) => isTrusted && sources.includes(name.includes("local") ? "local" : "project"),
  );
  const files = [
    ...foreign.map((source) => ({ source, folder: root, isProject: false })),
    ...foldersBetween(root, folder).flatMap((at) =>
      names.map((name) => ({ source: join(at, name), folder: at, isProject: true })),
    ),
  ];
  const read = files.map(async ({ source, isProject, ...file }) => {
    // In the home folder they are the user's own, which are read above.
    if (isProject && (source === paths.settings || foreign.includes(source))) return [];
    const start = await readStart(source, maxBytes, (path) => !isProject || holds(root, path));
    if (!start || start.size > maxBytes) return [];
    const { data } = schema().safeParse(parseJsonc(start.text));
    if (!data) return [];
    const { hooks, disableAllHooks: isOff, statusLine } = data;
    return [{ source, isProject, ...file, hooks, isOff, statusLine }];
  });
  return (await Promise.all(read)).flat();
}
