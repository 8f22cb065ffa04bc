/** The settings, each declared once; `docs/settings.md` says what each means. */

import { z } from "zod";
import { efforts } from "../protocol/model.ts";
import { modeNamed, permissionModes } from "../protocol/permission.ts";
import { policySchema } from "../protocol/policy.ts";
import { addressSchema, providerNames } from "./servers.ts";

const positive = z.number().int().min(1);
const usd = z.number().positive();
const texts = z.array(z.string());
const byName = z.record(z.string(), z.unknown());

/** As Claude Code writes it. */
export const statusLineSchema = z.looseObject({ command: z.string().min(1) });

const settingsSchema = z.object({
  model: z.string().min(1).default("claude-sonnet-5-5"),
  provider: z.enum(providerNames).default("auto"),
  baseUrl: addressSchema.optional(),
  effort: z.enum(efforts).optional(),
  windowTokens: positive.optional(),
  outputTokens: positive.optional(),
  maxCalls: z.number().int().min(0).default(500),
  budget: z
    .object({ session: usd.optional(), day: usd.optional(), project: usd.optional() })
    .prefault({}),
  stallMs: positive.default(120_000),
  // Claude Code's names are accepted, too.
  permissionMode: z
    .preprocess((name) => modeNamed(name) ?? name, z.enum(permissionModes))
    .default("default"),
  permissions: z
    .object({ allow: texts.default([]), ask: texts.default([]), deny: texts.default([]) })
    .prefault({}),
  addDirs: texts.default([]),
  ...policySchema.shape,
  transcriptDir: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  keepVariables: texts.default([]),
  bashTimeoutMs: positive.default(120_000),
  diagnostics: z.boolean().default(true),
  scripts: z.enum(["auto", "on", "off"]).default("auto"),
  mcpServers: byName.default({}),
  mcpToolShare: z.number().min(0).max(1).default(0.1),
  hooks: byName.default({}),
  disableAllHooks: z.boolean().default(false),
  theme: z.enum(["auto", "dark", "light", "none", "color-blind"]).default("auto"),
  mouse: z.boolean().default(true),
  keys: z.record(z.string(), texts).default({}),
  // A command alone, or as Claude Code writes it.
  statusLine: z
    .preprocess(
      (value) => (typeof value === "string" ? { type: "command", command: value } : value),
      statusLineSchema,
    )
    .optional(),
  vim: z.boolean().default(false),
  notifications: z.boolean().default(true),
  notifyBy: z.enum(["bell", "osc9", "osc777"]).default("bell"),
  printOnExit: z.enum(["conversation", "answer", "nothing"]).default("conversation"),
  updateCheck: z.boolean().default(true),
  screenReader: z.boolean().default(false),
});

export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = settingsSchema.parse({});

/** A setting and its place in the table. */
export type SettingAt = { path: string[]; schema: z.ZodType };

/** Every setting. */
export const allSettings: readonly SettingAt[] = settingsBelow(settingsSchema.shape);

function settingsBelow(shape: z.ZodRawShape, above: readonly string[] = []): SettingAt[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const path = [...above, name];
    const table = schema instanceof z.ZodPrefault ? schema.unwrap() : null;
    if (table instanceof z.ZodObject) return settingsBelow(table.shape, path);
    return schema instanceof z.ZodType ? [{ path, schema }] : [];
  });
}

/** The schema of a value itself: without its default and other accepted spellings. */
export function valueSchema(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return valueSchema(schema.unwrap());
  return schema instanceof z.ZodPipe ? schema.out : schema;
}

/** An unvalidated value and its source. The schema of the setting decides whether it is valid. */
export type RawSettings = {
  path: string[];
  value: unknown;
  source: string;
  /** As the user wrote it, when `value` differs. */
  text?: string | undefined;
};

/** "200000", "200k" and "1m" as numbers of tokens; any other text unchanged. */
export function parseTokens(text: string): unknown {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text) ?? [];
  if (number === undefined) return text;
  const factor = unit?.toLowerCase() === "m" ? 1_000_000 : unit ? 1_000 : 1;
  return Number(number) * factor;
}
