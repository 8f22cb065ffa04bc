/** Settings from the environment: every one by a systematic name, and some by names people know. */

import { z } from "zod";
import { settingsSchema } from "./schema.ts";

type Env = Record<string, string | undefined>;
type Tree = { [key: string]: unknown };

/** A value that was found somewhere, and where: to be judged by the schema. */
export type Found = { path: string[]; value: unknown; source: string };

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

export function fromEnvironment(env: Env): Found[] {
  const found: Found[] = [];
  for (const { path, schema } of leaves()) {
    const source = variableOf(path);
    const text = env[source];
    if (text !== undefined && text !== "") found.push({ path, value: read(text, schema), source });
  }
  const familiar = (source: string, path: string[], convert: (text: string) => unknown): void => {
    const text = env[source];
    if (text !== undefined && text !== "") found.push({ path, value: convert(text), source });
  };
  const isOn = (text: string): boolean => !/^(0|false|no|off)$/i.test(text);
  familiar("ANTHROPIC_MODEL", ["model"], (text) => text);
  familiar(
    "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    ["policy", "summaryAt"],
    (text) => Number(text) / 100,
  );
  familiar("CLAUDE_CODE_AUTO_COMPACT_WINDOW", ["windowTokens"], Number);
  familiar("DISABLE_AUTO_COMPACT", ["policy", "autoCompact"], (text) =>
    isOn(text) ? "off" : "on",
  );
  familiar("DISABLE_COMPACT", ["policy", "compaction"], (text) => (isOn(text) ? "off" : "on"));
  familiar("NO_COLOR", ["theme"], () => "none");
  return found;
}

/** A variable is text; what the schema wants decides what it means. */
function read(text: string, schema: z.ZodType): unknown {
  if (schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text.includes(",") ? text.split(",").map((part) => part.trim()) : text;
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
