/** Settings from the environment: every one by a systematic name, and some by names people know. */

import { z } from "zod";
import { closest } from "./closest.ts";
import { settingsSchema } from "./schema.ts";

type Environment = Record<string, string | undefined>;
type Tree = { [key: string]: unknown };

/** A value that was found somewhere, and where: to be judged by the schema. */
export type RawSettings = {
  path: string[];
  value: unknown;
  source: string;
  /** As the person wrote it, where `value` is something else. */
  text?: string;
};

/** "policy.summary.userTokens" is `MINI_CLAUDE_SUMMARY_USER_TOKENS`: the word policy goes without saying. */
export const variableOf = (path: readonly string[]): string =>
  `MINI_CLAUDE_${path
    .filter((part, index) => !(index === 0 && part === "policy" && path.length > 1))
    .map((part) => part.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase())
    .join("_")}`;

/** The path of every setting, and what its value has to be. */
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

/** What runs or allows commands comes from the user's settings file and nowhere else. */
const onlyInFile = ["hooks", "permissions"];

/** Variables that are ours and no settings. */
const notSettings = ["MINI_CLAUDE_HOME", "MINI_CLAUDE_DEBUG"];

/** Settings that variables set, the weaker ones first; a variable of ours that sets none is told of. */
export function fromEnvironment(env: Environment, problems: string[]): RawSettings[] {
  const found: RawSettings[] = [];
  for (const [source, path, convert] of familiar) {
    const text = env[source];
    const value = text === undefined || text === "" ? undefined : convert(text);
    if (value !== undefined) found.push({ path, value, source, ...(text ? { text } : {}) });
  }
  const byVariable = new Map(
    leaves()
      .filter(({ path: [first = ""] }) => !onlyInFile.includes(first))
      .map((leaf) => [variableOf(leaf.path), leaf]),
  );
  for (const [source, text] of Object.entries(env)) {
    if (!source.startsWith("MINI_CLAUDE_") || notSettings.includes(source) || !text) continue;
    const leaf = byVariable.get(source);
    if (leaf) found.push({ path: leaf.path, value: read(text, leaf.schema), source, text });
    else {
      const near = closest(source, [...byVariable.keys()]);
      problems.push(
        `${source} sets nothing${near ? `; did you mean ${near}?` : ": there is no such setting for a variable."}`,
      );
    }
  }
  return found;
}

const isOn = (text: string): boolean => !/^(0|false|no|off)$/i.test(text.trim());
const offWhen = (text: string): string | undefined => (isOn(text) ? "off" : undefined);

/** Variables that people know from elsewhere, and what they set. */
const familiar: [source: string, path: string[], convert: (text: string) => unknown][] = [
  ["ANTHROPIC_MODEL", ["model"], (text) => text],
  ["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", ["policy", "summaryAt"], (text) => Number(text) / 100],
  ["CLAUDE_CODE_AUTO_COMPACT_WINDOW", ["windowTokens"], (text) => tokensIn(text)],
  ["DISABLE_AUTO_COMPACT", ["policy", "autoCompact"], offWhen],
  ["DISABLE_COMPACT", ["policy", "compaction"], offWhen],
  ["INK_SCREEN_READER", ["screenReader"], isOn],
  ["NO_COLOR", ["theme"], () => "none"],
];

/** "200000", "200k" and "1m" are numbers of tokens; other texts stay what they are. */
export function tokensIn(text: string): unknown {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text) ?? [];
  if (number === undefined) return text;
  const factor = unit?.toLowerCase() === "m" ? 1_000_000 : unit ? 1_000 : 1;
  return Number(number) * factor;
}

/** A variable is text; what the schema wants decides what it means. */
function read(text: string, optional: z.ZodType): unknown {
  const schema = optional instanceof z.ZodOptional ? optional.unwrap() : optional;
  if (schema instanceof z.ZodNumber) return tokensIn(text);
  if (schema instanceof z.ZodBoolean) {
    return /^(1|0|true|false|yes|no|on|off)$/i.test(text.trim()) ? isOn(text) : text;
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return text;
  try {
    return JSON.parse(text);
  } catch {
    // A list needs no quotes.
    return schema instanceof z.ZodArray ? text.split(",").map((part) => part.trim()) : text;
  }
}

/** Puts a value into a tree, making the branches that lead to it. */
export function plant(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const branch = tree[name];
  const next: Tree = typeof branch === "object" && branch !== null ? { ...branch } : {};
  tree[name] = next;
  plant(next, rest, value);
}
