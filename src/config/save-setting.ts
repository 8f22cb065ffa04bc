import { z } from "zod";
import { isRecord, parseJsonc } from "../base/guards.ts";
import { errorMessage } from "../base/format.ts";
import { readIfThere, saveText } from "./json-file.ts";

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
