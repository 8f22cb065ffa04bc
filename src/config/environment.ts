/** Settings from environment variables: MINI_CLAUDE_* for each one, and some names of other tools. */

import { z } from "zod";
import type { Environment } from "../base/environment.ts";
import { isRecord, parseJson } from "../base/guards.ts";
import { didYouMean } from "./closest.ts";
import { settingsSchema, type Settings } from "./schema.ts";

export type Tree = { [key: string]: unknown };

/** A value as it was found, and where. The schema decides whether it is valid. */
export type RawSettings = {
  path: string[];
  value: unknown;
  source: string;
  /** As the user wrote it, when `value` differs. */
  text?: string | undefined;
};

/** "policy.summary.userTokens" is `MINI_CLAUDE_SUMMARY_USER_TOKENS`, without "policy". */
export const variableOf = (path: readonly string[]): string =>
  `MINI_CLAUDE_${path
    .filter((part, index) => !(index === 0 && part === "policy" && path.length > 1))
    .map((part) => part.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase())
    .join("_")}`;

/** The path and the schema of every setting. */
export function leaves(
  shape: z.ZodObject = settingsSchema,
  above: string[] = [],
): { path: string[]; schema: z.ZodType }[] {
  return Object.entries(shape.shape).flatMap(([name, schema]) => {
    const path = [...above, name];
    if (schema instanceof z.ZodObject) return leaves(schema, path);
    return schema instanceof z.ZodType ? [{ path, schema }] : [];
  });
}

/** Settings that run or allow commands come from the settings file only. */
const onlyInFile = ["hooks", "mcpServers", "permissions"];

/** Our variables that are not settings. */
const notSettings = ["MINI_CLAUDE_HOME", "MINI_CLAUDE_DEBUG"];

/** Settings from variables, the weaker ones first. Unknown MINI_CLAUDE_* variables are reported. */
export function fromEnvironment(env: Environment, problems: string[]): RawSettings[] {
  const found: RawSettings[] = [];
  for (const [source, path, convert] of familiar) {
    const text = env[source];
    const value = text === undefined || text === "" ? undefined : convert(text);
    if (value !== undefined) found.push({ path, value, source, text });
  }
  const byVariable = new Map(
    leaves()
      .filter(({ path: [first = ""] }) => !onlyInFile.includes(first))
      .map((leaf) => [variableOf(leaf.path), leaf]),
  );
  for (const [source, text] of Object.entries(env)) {
    if (!source.startsWith("MINI_CLAUDE_") || notSettings.includes(source) || !text) continue;
    const leaf = byVariable.get(source);
    if (leaf) found.push({ path: leaf.path, value: readText(text, leaf.schema), source, text });
    else {
      const hint = didYouMean(source, [...byVariable.keys()], ".");
      problems.push(`${source} is not a setting${hint}`);
    }
  }
  return found;
}

const isOn = (text: string): boolean => !/^(0|false|no|off)$/i.test(text.trim());
const offWhen = (text: string): string | undefined => (isOn(text) ? "off" : undefined);

/** Variables of other tools, and what they set. */
const familiar: [source: string, path: string[], convert: (text: string) => unknown][] = [
  ["ANTHROPIC_MODEL", ["model"], (text) => text],
  ["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", ["policy", "summaryAt"], (text) => Number(text) / 100],
  ["CLAUDE_CODE_AUTO_COMPACT_WINDOW", ["windowTokens"], (text) => tokensIn(text)],
  ["DISABLE_AUTO_COMPACT", ["policy", "autoCompact"], offWhen],
  ["DISABLE_COMPACT", ["policy", "compaction"], offWhen],
  ["INK_SCREEN_READER", ["screenReader"], isOn],
  ["NO_COLOR", ["theme"], () => "none"],
];

/** "200000", "200k" and "1m" as numbers of tokens; any other text unchanged. */
export function tokensIn(text: string): unknown {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text) ?? [];
  if (number === undefined) return text;
  const factor = unit?.toLowerCase() === "m" ? 1_000_000 : unit ? 1_000 : 1;
  return Number(number) * factor;
}

/** Reads the text of a variable as the type that the schema expects. */
export function readText(text: string, optional: z.ZodType): unknown {
  const schema = optional instanceof z.ZodOptional ? optional.unwrap() : optional;
  if (schema instanceof z.ZodNumber) return tokensIn(text);
  if (schema instanceof z.ZodBoolean) {
    return /^(1|0|true|false|yes|no|on|off)$/i.test(text.trim()) ? isOn(text) : text;
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return text;
  const json = parseJson(text);
  if (json !== undefined) return json;
  // A list may be written without brackets and quotes.
  return schema instanceof z.ZodArray ? text.split(",").map((part) => part.trim()) : text;
}

/**
 * The settings with one more value, or what is wrong with it. Only that value is checked: all of them
 * together would take a tenth of the time to the first frame.
 */
export function withSetting(
  settings: Settings,
  path: readonly string[],
  value: unknown,
): { settings: Settings } | { error: z.ZodError } {
  const next: Tree = structuredClone(settings);
  const schema = schemaAt(path);
  plant(next, path, value);
  // The whole schema says what is wrong with an unknown name.
  const parsed = schema ? schema.safeParse(value) : settingsSchema.safeParse(next);
  if (!parsed.success) return { error: parsed.error };
  plant(next, path, parsed.data);
  return { settings: { ...settings, ...next } };
}

function schemaAt(path: readonly string[]): z.ZodType | null {
  const found = path.reduce<unknown>(
    (schema, name) => (schema instanceof z.ZodObject ? schema.shape[name] : null),
    settingsSchema,
  );
  return found instanceof z.ZodType ? found : null;
}

/** Sets a value in a tree, creating the branches that lead to it. */
function plant(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const branch = tree[name];
  const next: Tree = isRecord(branch) ? { ...branch } : {};
  tree[name] = next;
  plant(next, rest, value);
}
