/** Inputs of tool calls that are done: what of them later calls will hardly need. */

import type { ToolInput } from "../protocol/block.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { View } from "./types.ts";

/** Texts that are no longer than this, in characters, stay; of a longer one the beginning does. */
const longChars = 150;
const headChars = 60;
/** A text, and an input, gives way only when that frees so many characters. */
const leastFreed = 40;

/** What a text of an input is: what a call replaced, what it wrote, or anything else. */
type Role = "replaced" | "written" | "other";

/**
 * The input without its long texts, but for those of the roles that stay; null: too little would go.
 * A text that was replaced stands nowhere any more. What is cut can be had back by its `entry`.
 */
export function shortened(
  input: ToolInput,
  stays: ReadonlySet<Role>,
  entry: EntryId,
): ToolInput | null {
  const next = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, shorten(value, key, stays, entry)]),
  );
  return sizeOf(next) + leastFreed <= sizeOf(input) ? next : null;
}

export const sizeOf = (input: ToolInput): number => JSON.stringify(input).length;

/** Whether a call replaces texts within a file, by the names that tools have for them. */
export const replacesText = (input: ToolInput): boolean =>
  Object.entries(input).some(([key, value]) => roleOf(key) === "replaced" || isListOfEdits(value));

/** The texts that a call put into a file. */
export function writtenIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return roleOf(key) === "written" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => writtenIn(one, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => writtenIn(one, name));
}

/** Inputs as the active cuts show them, by call id. */
export function activeInputs(view: View): Map<string, ToolInput> {
  const inputs = new Map<string, ToolInput>();
  for (const { changes } of view.cuts)
    for (const change of changes)
      if (change.kind === "input") inputs.set(change.toolUse, change.input);
  return inputs;
}

function roleOf(key: string): Role {
  if (/^old/i.test(key)) return "replaced";
  return /^new|^content$/i.test(key) ? "written" : "other";
}

const isListOfEdits = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.some(
    (one) =>
      typeof one === "object" &&
      one !== null &&
      Object.keys(one).some((key) => roleOf(key) === "replaced"),
  );

function shorten(value: unknown, key: string, stays: ReadonlySet<Role>, entry: EntryId): unknown {
  if (typeof value === "string") {
    const role = roleOf(key);
    if (stays.has(role)) return value;
    return role === "replaced" ? clipped(value, 0, entry) : clipped(value, headChars, entry);
  }
  if (Array.isArray(value)) return value.map((one) => shorten(one, key, stays, entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, shorten(one, name, stays, entry)]),
  );
}

function clipped(text: string, head: number, entry: EntryId): string {
  if (head > 0 && text.length < longChars) return text;
  const cut = `[... ${text.length - head} characters cut; recall #${entry}]`;
  const shown = `${text.slice(0, head)}${cut}`.toWellFormed();
  return shown.length + leastFreed <= text.length ? shown : text;
}
