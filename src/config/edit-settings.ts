/** Settings as a list to edit: names, values as text, and what a new text would change. Pure. */

import { z } from "zod";
import { isRecord } from "../base/guards.ts";
import { requirement } from "./complaint.ts";
import { readText, withSetting } from "./environment.ts";
import { allSettings, defaultSettings, type SettingAt, type Settings } from "./schema.ts";

export type EditableSetting = SettingAt & {
  /** "policy.snipAt" */
  id: string;
  /** As the settings file may have it: "snipAt". */
  name: string;
  /** Every value there is; null: any that the schema takes. */
  values: readonly string[] | null;
};

export const editableSettings = (): EditableSetting[] =>
  allSettings.map((setting) => {
    const id = setting.path.join(".");
    const values = listValues(inner(setting.schema));
    return { ...setting, id, name: id.replace(/^policy\./, ""), values };
  });

/** The schema of the value itself, without "optional" and without other accepted spellings. */
function inner(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodOptional) return schema.unwrap();
  return schema instanceof z.ZodPipe ? schema.out : schema;
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

/** The settings with a new value, and that value for the file; an empty text means the default. */
export function editSetting(
  settings: Settings,
  { path, name, schema, value: usual }: EditableSetting,
  text: string,
): { settings: Settings; value: unknown } | { problem: string } {
  const value = text === "" ? usual : readText(text, schema);
  const parsed = withSetting(settings, path, value);
  if ("settings" in parsed) return { ...parsed, value };
  const found = { path, value, source: "", text };
  return { problem: `${name} ${requirement(found, parsed.error)}.` };
}
