/** Settings from environment variables: MINI_CLAUDE_* for each one, and some names of other tools. */

import { z } from "zod";
import type { Environment } from "../base/environment.ts";
import { isRecord, parseJson } from "../base/guards.ts";
import { didYouMean } from "./complaint.ts";
import {
  allSettings,
  type RawSettings,
  type SettingAt,
  type Settings,
  parseTokens,
  valueSchema,
} from "./schema.ts";
import { isOwnKeyName } from "./servers.ts";

/** "summary.keepTurns" is `MINI_CLAUDE_SUMMARY_KEEP_TURNS`. */
const toVariable = (path: readonly string[]): string =>
  `MINI_CLAUDE_${path
    .join("_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()}`;

/** Settings that run or allow commands come from the settings file only. */
const onlyInFile = ["env", "hooks", "mcpServers", "permissions", "statusLine"];

/** Our variables that are not settings. */
const notSettings = ["MINI_CLAUDE_HOME", "MINI_CLAUDE_DEBUG"];

/** Whether the text of a variable means yes. */
const isOn = (text: string): boolean => !/^(0|false|no|off)$/i.test(text.trim());

const offWhen = (text: string): string | undefined => (isOn(text) ? "off" : undefined);

/** A text that is no number stays, so that the message names it. */
const percentOf = (text: string): unknown =>
  Number.isFinite(Number(text)) && text.trim() !== "" ? Number(text) / 100 : text;

/** Variables of other tools: the setting that each stands for, and how its text is read. */
const familiar: readonly (readonly [string, path: string[], read: (text: string) => unknown])[] = [
  ["ANTHROPIC_MODEL", ["model"], (text) => text],
  ["CLAUDE_CODE_AUTO_COMPACT_WINDOW", ["windowTokens"], parseTokens],
  ["DISABLE_AUTO_COMPACT", ["autoCompact"], offWhen],
  ["DISABLE_COMPACT", ["compaction"], offWhen],
  ["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", ["summaryAt"], percentOf],
  ["NO_COLOR", ["theme"], () => "none"],
  ["INK_SCREEN_READER", ["screenReader"], isOn],
];

/** Settings from variables, the weaker ones first. Unknown MINI_CLAUDE_* variables are reported. */
export function fromEnvironment(env: Environment, problems: string[]): RawSettings[] {
  const found: RawSettings[] = [];
  for (const [source, path, read] of familiar) {
    const text = env[source];
    const value = text ? read(text) : undefined;
    if (value !== undefined) found.push({ path, value, source, text });
  }
  const byVariable = new Map(
    allSettings
      .filter(({ path: [first = ""] }) => !onlyInFile.includes(first))
      .map((setting) => [toVariable(setting.path), setting]),
  );
  for (const [source, text] of Object.entries(env)) {
    if (!source.startsWith("MINI_CLAUDE_") || notSettings.includes(source) || !text) continue;
    if (isOwnKeyName(source)) continue;
    const setting = byVariable.get(source);
    if (setting) {
      const value = readText(text, setting.schema);
      found.push({ path: setting.path, value, source, text });
    } else {
      const hint = didYouMean(source, [...byVariable.keys()], ".");
      problems.push(`${source} is not a setting${hint}`);
    }
  }
  return found;
}

/** Reads the text of a variable as the type that the schema expects. */
export function readText(text: string, setting: z.ZodType): unknown {
  const schema = valueSchema(setting);
  if (schema instanceof z.ZodNumber) return parseTokens(text);
  if (schema instanceof z.ZodBoolean) {
    return /^(1|0|true|false|yes|no|on|off)$/i.test(text.trim()) ? isOn(text) : text;
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return text;
  const json = parseJson(text);
  if (json !== undefined) return json;
  // A list may be written without brackets and quotes.
  return schema instanceof z.ZodArray ? text.split(",").map((part) => part.trim()) : text;
}

const byPath = new Map(allSettings.map((setting) => [setting.path.join("."), setting]));

/** The setting at a path; undefined: there is none. */
export const settingAt = (path: readonly string[]): SettingAt | undefined =>
  byPath.get(path.join("."));

/** The settings with one more value, or what is wrong with it; null: there is no such setting. */
export function withSetting(
  settings: Settings,
  path: readonly string[],
  value: unknown,
): { settings: Settings } | { error: z.ZodError | null } {
  const parsed = settingAt(path)?.schema.safeParse(value);
  if (!parsed?.success) return { error: parsed?.error ?? null };
  const next = structuredClone(settings);
  const branch = path
    .slice(0, -1)
    .reduce<unknown>((tree, name) => (isRecord(tree) ? tree[name] : null), next);
  if (isRecord(branch)) branch[path.at(-1) ?? ""] = parsed.data;
  return { settings: next };
}
