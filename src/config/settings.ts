/** The settings: read from all sources, listed to edit, and written back to the file. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Environment } from "../base/environment.ts";
import { isRecord, parseJsonc } from "../base/guards.ts";
import { errorMessage, listed } from "../base/format.ts";
import { editJson } from "../base/jsonc.ts";
import { didYouMean, requirement } from "./complaint.ts";
import { fromEnvironment, readText, settingAt, withSetting } from "./environment.ts";
import { readIfThere, saveText } from "./json-file.ts";
import { buildKeyMap } from "./keys.ts";
import { findHome } from "./paths.ts";
import {
  allSettings,
  defaultSettings,
  type RawSettings,
  type SettingAt,
  type Settings,
  valueSchema,
} from "./schema.ts";
import { UsageError } from "./usage-error.ts";

export { allSettings, defaultSettings, type RawSettings, type Settings } from "./schema.ts";

/**
 * Defaults, then the user's settings file, then the environment, then flags. An invalid value is
 * reported and ignored, so that one bad line does not keep the agent from starting; an invalid flag
 * throws `UsageError`. Nothing is read from the opened folder, whose author may be a stranger.
 */
export function loadSettings(from: {
  env: Environment;
  /** Null: the user's settings are not read. */
  file: string | null;
  /** Settings files of another agent, whose variables and rules hold here, too. */
  foreign?: readonly string[];
  /** JSON of the command line, or the path of a file with JSON. */
  extra?: string | undefined;
  flags: RawSettings[];
}) {
  /** Faults in the file or the environment, one sentence each; those values are ignored. */
  const problems: string[] = [];
  const unknown: RawSettings[] = [];
  /** Where each setting that is not a default came from: a file, a variable, a flag. */
  const sources = new Map<string, string>();
  const given = from.extra === undefined ? [] : fromCommandLine(from.extra, problems);
  let settings: Settings = structuredClone(defaultSettings);
  for (const found of [
    ...(from.file === null ? [] : (from.foreign ?? []).flatMap(fromForeign)),
    ...(from.file === null ? [] : fromFile(from.file, problems)),
    ...fromEnvironment(from.env, problems),
    ...given.filter(({ path: [name = ""] }) => !Object.hasOwn(consentSchema.shape, name)),
    ...from.flags,
  ]) {
    const parsed = withSetting(settings, found.path, added(settings, found));
    if ("settings" in parsed) {
      settings = parsed.settings;
      sources.set(found.path.join("."), found.source);
    } else if (found.source.startsWith("--")) {
      throw new UsageError(`${found.source} ${sentence(requirement(found, parsed.error), ".")}`);
    } else {
      const problem = complaint(found, parsed.error);
      if (problem === null) unknown.push(found);
      else problems.push(problem);
    }
  }
  for (const [source, found] of Map.groupBy(unknown, (each) => each.source)) {
    const names = listed(found.map(({ path }) => `“${path.join(".")}”`));
    const [s, it] = found.length === 1 ? ["", "it"] : ["s", "them"];
    problems.push(`${source}: unknown setting${s} ${names}; delete ${it}.`);
  }
  for (const problem of buildKeyMap(settings.keys).problems) {
    problems.push(`${sources.get("keys")}: ${problem}`);
  }
  for (const rule of malformedRules(settings.permissions)) {
    problems.push(`permissions: “${rule}” is not a rule such as Bash(git diff:*); it is ignored.`);
  }
  const consent = consentSchema.parse(
    Object.fromEntries(given.map(({ path: [name = ""], value }) => [name, value])),
  );
  return { settings: atHome(settings, from.env), sources, problems, consent };
}

/**
 * Consent that a program gives for its user with `--settings`, as Claude Code names it. A settings
 * file cannot: it would hold for every folder.
 */
const consentSchema = z.object({
  /** The folder's files may be used in this run. */
  trust: z.boolean().catch(false),
  /** The MCP servers of the project may be started. */
  enableAllProjectMcpServers: z.boolean().catch(false),
  enabledMcpjsonServers: z.array(z.string()).catch([]),
});

export type Consent = z.infer<typeof consentSchema>;

/** Folders of the command line, rules, hooks and servers are added to earlier ones. */
function added(settings: Settings, { path, value, source }: RawSettings): unknown {
  const [name, list] = path;
  if (Array.isArray(value)) {
    if (source === "--add-dir") return [...settings.addDirs, ...value];
    const earlier = name === "permissions" && ruleLists.find((known) => known === list);
    return earlier ? [...settings.permissions[earlier], ...value] : value;
  }
  if (!isRecord(value) || path.length > 1) return value;
  if (name === "mcpServers") return { ...settings.mcpServers, ...value };
  if (name === "env") return { ...settings.env, ...value };
  return name === "hooks" ? withHooks(settings.hooks, value) : value;
}

type Tree = Record<string, unknown>;

/** Both; the later hooks of an event come after the earlier ones. */
const withHooks = (earlier: Tree, later: Tree): Tree =>
  Object.fromEntries(
    [...new Set([...Object.keys(earlier), ...Object.keys(later)])].map((event) => {
      const [first, second] = [earlier[event], later[event]];
      const both = Array.isArray(first) && Array.isArray(second) ? [...first, ...second] : null;
      return [event, both ?? second ?? first];
    }),
  );

const ruleLists = ["allow", "ask", "deny"] as const;

const rulePattern = /^\s*(?:[A-Za-z_][\w-]*(?:\([\s\S]+\))?|mcp__[\w-]+__\*)\s*$/;

/** Rules that do not have the form `Tool` or `Tool(specifier)`. */
const malformedRules = (lists: Settings["permissions"]): string[] =>
  [...lists.allow, ...lists.ask, ...lists.deny].filter((rule) => !rulePattern.test(rule));

/** Expands "~/notes", because no shell does it for a settings file. */
function atHome(settings: Settings, env: Environment): Settings {
  const expand = (path: string): string =>
    path === "~" || path.startsWith("~/") ? join(findHome(env), path.slice(1)) : path;
  const { transcriptDir } = settings;
  return {
    ...settings,
    addDirs: settings.addDirs.map(expand),
    ...(transcriptDir === undefined ? {} : { transcriptDir: expand(transcriptDir) }),
  };
}

/** Throws `UsageError` when there is no such file. */
function fromCommandLine(given: string, problems: string[]): RawSettings[] {
  if (given.trimStart().startsWith("{"))
    return parseSettings(given, "The flag --settings", problems);
  if (!existsSync(given)) throw new UsageError(`--settings: there is no file ${given}.`);
  return fromFile(given, problems);
}

/** Settings of the other program that this one does not have are no problem. */
const fromForeign = (file: string): RawSettings[] =>
  fromFile(file, []).flatMap((found) => {
    const { path, value } = found;
    const [name, list] = path;
    if (name === "env" || name === "addDirs") return settingAt(path) ? [found] : [];
    const isList = name === "permissions" && ruleLists.some((known) => known === list);
    if (!isList || !Array.isArray(value)) return [];
    const rules = value.filter((rule) => typeof rule === "string" && rulePattern.test(rule));
    return [{ ...found, value: rules }];
  });

function fromFile(file: string, problems: string[]): RawSettings[] {
  try {
    const text = readIfThere(file);
    return text === null ? [] : parseSettings(text, file, problems);
  } catch (error) {
    problems.push(`${file} cannot be read (${errorMessage(error)}); it is ignored.`);
    return [];
  }
}

function parseSettings(text: string, source: string, problems: string[]): RawSettings[] {
  let json: unknown;
  try {
    // Users write this file by hand: comments and trailing commas are allowed.
    json = Bun.JSONC.parse(text.replace(/^\u{feff}/u, ""));
  } catch (error) {
    const why = errorMessage(error).replace("JSONC Parse error: ", "");
    problems.push(`${source} is not valid JSON (${why}); it is ignored.`);
    return [];
  }
  if (!isRecord(json)) {
    problems.push(`${source} must hold one JSON object with settings; it is ignored.`);
    return [];
  }
  return flatten(json).map(({ path, value }) => {
    return { path: familiarPaths.get(path.join(".")) ?? path, value, source };
  });
}

/** Claude Code's names of settings that have another name here. */
const familiarPaths = new Map([
  ["permissions.defaultMode", ["permissionMode"]],
  ["permissions.additionalDirectories", ["addDirs"]],
]);

/**
 * Splits the tree into the settings of the schema. Unknown names are kept, to be reported; what earlier versions
 * kept under “policy” counts as if it stood above. A name with dots, as the manual has it, is a path.
 */
function flatten(tree: Tree, above: string[] = []): { path: string[]; value: unknown }[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const names = name.split(".");
    const isOld = names[0] === "policy" && (names.length > 1 || isRecord(value));
    const path = [...above, ...(isOld ? names.slice(1) : names)];
    return isRecord(value) && !settingAt(path) ? flatten(value, path) : [{ path, value }];
  });
}

/** Null: an unknown setting, unlike any. */
function complaint(found: RawSettings, error: z.ZodError | null): string | null {
  const { source, path } = found;
  const name = path.join(".");
  if (error === null) {
    const known = allSettings.map((setting) => setting.path.join("."));
    const hint = didYouMean(name, known, "", (near) => `“${near}”`);
    return hint === "" ? null : `${source}: unknown setting “${name}”${hint}`;
  }
  return `${source}: “${name}” ${sentence(requirement(found, error), "; it is ignored.")}`;
}

const sentence = (text: string, end: string): string => (text.endsWith("?") ? text : text + end);

export type EditableSetting = SettingAt & {
  /** "summary.keepTurns" */
  id: string;
  group: string;
  /** For the user, in one or two sentences. */
  means: string;
  /** Every value there is; null: any that the schema takes. */
  values: readonly string[] | null;
};

/** The settings as the manual's page groups, orders and explains them. */
export function editableSettings(manual: string): EditableSetting[] {
  let group = "";
  return manual.split("\n").flatMap((line) => {
    group = /^## (.+)/.exec(line)?.[1]?.toLowerCase() ?? group;
    const [, id = "", means = ""] = /^- `([\w.]+)`(?: \(`[^`]*`\))?: (.+)$/.exec(line) ?? [];
    const setting = settingAt(id.split("."));
    if (!setting) return [];
    const values = listValues(valueSchema(setting.schema));
    return [{ ...setting, id, group, means, values }];
  });
}

function listValues(schema: unknown): readonly string[] | null {
  if (schema instanceof z.ZodBoolean) return ["true", "false"];
  return schema instanceof z.ZodEnum ? schema.options.map(String) : null;
}

const readValue = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce((branch, name) => (isRecord(branch) ? branch[name] : undefined), tree);

/** A value on one line; empty where there is none. */
export function showSetting(settings: Settings, { path }: Pick<SettingAt, "path">): string {
  const value = readValue(settings, path);
  if (value === undefined) return "";
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const isDefault = (settings: Settings, setting: Pick<SettingAt, "path">): boolean =>
  showSetting(settings, setting) === showSetting(defaultSettings, setting);

/** The settings with a new value, and that value for the file; an empty text and undefined mean the default. */
export function editSetting(
  settings: Settings,
  { path, id, schema }: EditableSetting,
  text: string,
): { settings: Settings; value: unknown } | { problem: string } {
  const value = text === "" ? undefined : readText(text, schema);
  const parsed = withSetting(settings, path, value);
  if ("settings" in parsed) {
    const [fault] = id === "keys" ? buildKeyMap(parsed.settings.keys).problems : [];
    return fault === undefined ? { ...parsed, value } : { problem: fault };
  }
  const found = { path, value, source: "", text };
  return { problem: `${id} ${requirement(found, parsed.error)}.` };
}

/**
 * Writes one setting, such as "theme" or "summary.keepTurns", to the settings file and keeps the others and
 * the comments; undefined removes it. Throws when the file is not a JSON object, which only the user
 * can fix, or cannot be written.
 */
export function saveSetting(file: string, name: string, value: unknown): void {
  const text = readIfThere(file)?.replace(/^\u{feff}/u, "") ?? "{}";
  const before = parseJsonc(text);
  if (!isRecord(before)) throw new Error(`${file} is not a JSON object; “${name}” was not saved.`);
  const edited = `${editJson(text, { path: findPlace(name, before), value }).trimEnd()}\n`;
  if (!isRecord(parseJsonc(edited)))
    throw new Error(`“${name}” could not be changed in ${file}; edit that file yourself.`);
  try {
    saveText(file, edited);
  } catch (error) {
    throw new Error(`“${name}” could not be saved in ${file}: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

/** A setting stays under “policy” where an earlier version put it, or under its name with dots. */
function findPlace(name: string, file: Record<string, unknown>): string[] {
  const path = name.split(".");
  const { policy } = file;
  if (Object.hasOwn(file, name)) return [name];
  return isRecord(policy) && Object.hasOwn(policy, path[0] ?? "") ? ["policy", ...path] : path;
}

const fileSchema = z.object({
  permissions: z.looseObject({ allow: z.array(z.string()).default([]) }).optional(),
});

/** Adds a permission rule to those that allow. Throws with a sentence when the file cannot be changed. */
export function saveAllowRule(file: string, rule: string): void {
  const { permissions = { allow: [] } } = fileSchema
    .catch({})
    .parse(parseJsonc(readIfThere(file) ?? ""));
  if (permissions.allow.includes(rule)) return;
  saveSetting(file, "permissions.allow", [...permissions.allow, rule]);
}
