import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Environment } from "../base/environment.ts";
import { errorCode, isRecord } from "../base/guards.ts";
import { errorMessage } from "../base/format.ts";
import { policySchema } from "../protocol/policy.ts";
import { didYouMean, requirement } from "./complaint.ts";
import { fromEnvironment, settingAt, withSetting } from "./environment.ts";
import { buildKeyMap } from "./keys.ts";
import { allSettings, defaultSettings, type RawSettings, type Settings } from "./schema.ts";
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
    } else problems.push(complaint(found, parsed.error));
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
    path === "~" || path.startsWith("~/") ? join(env["HOME"] || homedir(), path.slice(1)) : path;
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
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      problems.push(`${file} cannot be read (${errorMessage(error)}); it is ignored.`);
    return [];
  }
  return parseSettings(text, file, problems);
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

/** Splits the tree into the settings of the schema. Unknown names are kept, to be reported. */
function flatten(tree: Tree, above: string[] = []): { path: string[]; value: unknown }[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const path = above.length === 0 ? toSettingPath(name) : [...above, name];
    return isRecord(value) && !settingAt(path) ? flatten(value, path) : [{ path, value }];
  });
}

/** "policy." may be left out: `autoCompact` is `policy.autoCompact`. */
function toSettingPath(name: string): string[] {
  return Object.hasOwn(policySchema.shape, name) ? ["policy", name] : [name];
}

function complaint(found: RawSettings, error: z.ZodError | null): string {
  const { source, path } = found;
  const name = path.join(".");
  if (error === null) {
    const known = [
      ...allSettings.map((setting) => setting.path.join(".")),
      ...Object.keys(policySchema.shape),
    ];
    const hint = didYouMean(name, known, "; it is ignored.", (near) => `“${near}”`);
    return `${source}: unknown setting “${name}”${hint}`;
  }
  return `${source}: “${name}” ${sentence(requirement(found, error), "; it is ignored.")}`;
}

const sentence = (text: string, end: string): string => (text.endsWith("?") ? text : text + end);
