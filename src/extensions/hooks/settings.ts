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
import type { Flags, SettingSource } from "../../config/flags.ts";
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
  /** It comes with the project, so what it allows is limited. */
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
    const parsed = groups().safeParse(
      typeof value === "string" ? [{ hooks: [{ type: "command", command: value }] }] : value,
    );
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

/** The hooks of all settings files, and what in them cannot be used. */
export async function readHooks(options: HookFileOptions) {
  const found = options.settings.disableAllHooks ? [] : await findHooks(options);
  const parsed = found.map(parseHooks);
  return {
    hooks: parsed
      .flatMap(({ hooks }) => hooks)
      .filter((hook) => isApprovedHook(hook, options.project)),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

export const findSource = (file: string): SettingSource =>
  file.includes("local") ? "local" : "project";

const maxBytes = 256 * 1024;

const schema = once(() =>
  z.looseObject({
    hooks: z.record(z.string(), z.unknown()).optional().catch(undefined),
    disableAllHooks: z.boolean().optional().catch(undefined),
    statusLine: statusLineSchema.optional().catch(undefined),
  }),
);

/** The user's hooks first. Files that cannot be read as settings have none. */
async function findHooks({
  flags,
  settings,
  paths,
  project,
}: HookFileOptions): Promise<HookSettings[]> {
  const { sources } = flags;
  const { root, folder, isTrusted } = project;
  const found: HookSettings[] = [];
  let isOff = false;
  if (Object.keys(settings.hooks).length > 0)
    found.push({ hooks: settings.hooks, source: paths.settings, folder: root, isProject: false });
  const add = async (source: string, at: string, isProject: boolean): Promise<void> => {
    const accepts = (path: string): boolean => !isProject || holds(root, path);
    const read = await readSettings(source, accepts);
    isOff ||= !isProject && read?.disableAllHooks === true;
    // A project disables only its own hooks: the user's may be there for protection.
    if (read?.hooks && !read.disableAllHooks)
      found.push({ hooks: read.hooks, source, folder: at, isProject });
  };
  const foreign = sources.includes("user") ? paths.foreignSettings : [];
  for (const file of foreign) await add(file, root, false);
  if (isOff) return [];
  const names = projectSettings.filter((name) => isTrusted && sources.includes(findSource(name)));
  for (const at of foldersBetween(root, folder))
    for (const name of names) {
      const file = join(at, name);
      // In the home folder they are the user's own, which were read above.
      if (file !== paths.settings && !foreign.includes(file)) await add(file, at, true);
    }
  return found;
}

export async function readSettings(file: string, accepts: (path: string) => boolean) {
  const start = await readStart(file, maxBytes, accepts);
  if (!start || start.size > maxBytes) return null;
  return schema().safeParse(parseJsonc(start.text)).data ?? null;
}
