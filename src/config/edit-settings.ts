/** Settings that the user changes: listed to edit, and written back to the settings file. */

import { z } from "zod";
import { errorMessage } from "../base/format.ts";
import { isRecord, parseJsonc } from "../base/guards.ts";
import { requirement } from "./complaint.ts";
import { readText, settingAt, withSetting } from "./environment.ts";
import { readIfThere, saveText } from "./json-file.ts";
import { defaultSettings, type SettingAt, type Settings, valueSchema } from "./schema.ts";

export type EditableSetting = SettingAt & {
  /** "policy.snipAt" */
  id: string;
  /** As the settings file may have it: "snipAt". */
  name: string;
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
    return [{ ...setting, id, name: id.replace(/^policy\./, ""), group, means, values }];
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
  { path, name, schema }: EditableSetting,
  text: string,
): { settings: Settings; value: unknown } | { problem: string } {
  const value = text === "" ? undefined : readText(text, schema);
  const parsed = withSetting(settings, path, value);
  if ("settings" in parsed) return { ...parsed, value };
  const found = { path, value, source: "", text };
  return { problem: `${name} ${requirement(found, parsed.error)}.` };
}

/**
 * Loaded only to save a setting. The package's main file requires others, which a compiled program
 * lacks.
 */
const jsonc = (): typeof import("jsonc-parser") => require("jsonc-parser/lib/esm/main.js");

/**
 * Writes one setting, such as "theme" or "policy.snipAt", to the settings file and keeps the others and
 * the comments; undefined removes it. Throws when the file is not a JSON object, which only the user
 * can fix, or cannot be written.
 */
export function saveSetting(file: string, name: string, value: unknown): void {
  const text = readIfThere(file)?.replace(/^\u{feff}/u, "") ?? "{}";
  const before = parseJsonc(text);
  if (!isRecord(before)) throw new Error(`${file} is not a JSON object; “${name}” was not saved.`);
  const { modify, applyEdits } = jsonc();
  const edits = modify(text, findPlace(name.split("."), before), value, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  const edited = `${applyEdits(text, edits).trimEnd()}\n`;
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

/** In a file, "policy." may be left out. A setting stays where the file has it. */
function findPlace(path: string[], { policy, ...others }: Record<string, unknown>): string[] {
  const [first, ...short] = path;
  const [name = ""] = short;
  if (first !== "policy" || name === "") return path;
  return isRecord(policy) && !Object.hasOwn(others, name) ? path : short;
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
