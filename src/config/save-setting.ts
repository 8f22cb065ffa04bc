import { readFileSync } from "node:fs";
import { z } from "zod";
import { saveJson } from "./save-json.ts";

const tree = z.record(z.string(), z.unknown());

/**
 * Writes one setting to the settings file and keeps the others. Throws when the file is not a JSON
 * object, which only the user can fix, or cannot be written.
 */
export function saveSetting(file: string, name: string, value: unknown): void {
  const before = tree.safeParse(contentOf(file));
  if (!before.success) throw new Error(`${file} is not a JSON object; “${name}” was not saved.`);
  try {
    saveJson(file, { ...before.data, [name]: value });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`“${name}” could not be saved in ${file}: ${why}.`, { cause: error });
  }
}

function contentOf(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
