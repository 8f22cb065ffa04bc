/** The texts in a call's input that it writes into a file, or replaces there: known by their names. */

/** The role of a text in an input: replaced by the call, written by it, or anything else. */
type TextRole = "replaced" | "written" | "other";

/** The texts that a call wrote into a file. */
export function listWritten(value: unknown, key = ""): string[] {
  if (typeof value === "string") return classifyKey(key) === "written" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((element) => listWritten(element, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, property]) => listWritten(property, name));
}

export function classifyKey(key: string): TextRole {
  if (/^old/i.test(key)) return "replaced";
  return /^new|^content$/i.test(key) ? "written" : "other";
}
