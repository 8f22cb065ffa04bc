/** Settings as a list to edit: names, values as text, and what a new text would change. Pure. */

import { z } from "zod";
import { isRecord } from "../protocol/guards.ts";
import { requirement } from "./complaint.ts";
import { leaves, readText, withSetting } from "./environment.ts";
import { defaultSettings, type Settings } from "./schema.ts";
import { settingHelp } from "./setting-help.ts";

export type EditableSetting = {
  /** "policy.snipAt" */
  id: string;
  /** As the settings file may have it: "snipAt". */
  name: string;
  help: string;
  path: readonly string[];
  /** Every value there is; null: any that the schema takes. */
  values: readonly string[] | null;
};

export const editableSettings = (): EditableSetting[] =>
  leaves().map(({ path, schema }) => ({
    id: path.join("."),
    name: path.length > 1 && path[0] === "policy" ? path.slice(1).join(".") : path.join("."),
    help: settingHelp[path.join(".")] ?? "",
    path,
    values: valuesOf(inner(schema)),
  }));

/** The schema of the value itself, without "optional" and without other accepted spellings. */
function inner(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodOptional) return schema.unwrap();
  return schema instanceof z.ZodPipe ? schema.out : schema;
}

function valuesOf(schema: unknown): readonly string[] | null {
  if (schema instanceof z.ZodBoolean) return ["true", "false"];
  return schema instanceof z.ZodEnum ? schema.options.map(String) : null;
}

const valueIn = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce((branch, name) => (isRecord(branch) ? branch[name] : undefined), tree);

/** A value on one line; empty where there is none. */
export function showSetting(settings: Settings, { path }: EditableSetting): string {
  const value = valueIn(settings, path);
  if (value === undefined) return "";
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const isDefault = (settings: Settings, setting: EditableSetting): boolean =>
  showSetting(settings, setting) === showSetting(defaultSettings, setting);

/** The settings with a new value, and that value for the file; an empty text means the default. */
export function editSetting(
  settings: Settings,
  { path, name }: EditableSetting,
  text: string,
): { settings: Settings; value: unknown } | { problem: string } {
  const leaf = leaves().find((one) => one.path.join(".") === path.join("."));
  if (!leaf) return { problem: `There is no setting ${name}.` };
  const value = text === "" ? valueIn(defaultSettings, path) : readText(text, leaf.schema);
  const parsed = withSetting(settings, path, value);
  if ("settings" in parsed) return { ...parsed, value };
  const found = { path: [...path], value, source: "", text };
  return { problem: `${name} ${requirement(found, parsed.error)}.` };
}
