/** Shorter inputs for finished tool calls. */

import { takeStart } from "../protocol/clip.ts";
import type { ToolInput } from "../protocol/block.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { View } from "./types.ts";

/** Longer texts are cut to their first `headChars` characters. */
const longChars = 150;
const headChars = 60;
/** A cut must free this many characters. */
const minFreed = 40;

/** What a text in an input is: replaced by the call, written by it, or anything else. */
export type Role = "replaced" | "written" | "other";

/**
 * The input without its long texts, except those with a role in `keeps`; null if that frees too
 * little. A replaced text exists nowhere any more. What is cut can be recalled by its `entry`.
 */
export function shortened(
  input: ToolInput,
  keeps: ReadonlySet<Role>,
  entry: EntryId,
): ToolInput | null {
  const next = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, shorten(value, key, keeps, entry)]),
  );
  return sizeOf(next) + minFreed <= sizeOf(input) ? next : null;
}

/** The input with every text clipped to its first `maxChars` characters. */
export function clippedInput(input: ToolInput, maxChars: number, entry: EntryId): ToolInput {
  const clip = (value: unknown): unknown => {
    if (typeof value === "string")
      return value.length > maxChars ? clipped(value, maxChars, entry) : value;
    if (Array.isArray(value)) return value.map(clip);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clip(one)]));
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, clip(value)]));
}

/** Length of an input as JSON, in characters. */
export const sizeOf = (input: ToolInput): number => JSON.stringify(input).length;

/** Whether a call replaces texts in a file, by its parameter names. */
export const replacesText = (input: ToolInput): boolean =>
  Object.entries(input).some(([key, value]) => roleOf(key) === "replaced" || isListOfEdits(value));

/** The texts that a call wrote into a file. */
export function writtenIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return roleOf(key) === "written" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => writtenIn(one, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => writtenIn(one, name));
}

/** Inputs as the active cuts show them, by call id: those of the rows that are sent. */
export function activeInputs(view: View): Map<string, ToolInput> {
  const inputs = new Map<string, ToolInput>();
  for (const cut of view.cuts.toReversed()) {
    // Earlier cuts changed earlier rows, which summaries replaced.
    if ((view.indexOf(cut.id) ?? 0) < view.sentFrom) break;
    for (const change of cut.changes)
      if (change.kind === "input" && !inputs.has(change.toolUse))
        inputs.set(change.toolUse, change.input);
  }
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

function shorten(value: unknown, key: string, keeps: ReadonlySet<Role>, entry: EntryId): unknown {
  if (typeof value === "string") {
    const role = roleOf(key);
    if (keeps.has(role)) return value;
    return role === "replaced" ? clipped(value, 0, entry) : clipped(value, headChars, entry);
  }
  if (Array.isArray(value)) return value.map((one) => shorten(one, key, keeps, entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, shorten(one, name, keeps, entry)]),
  );
}

function clipped(text: string, head: number, entry: EntryId): string {
  if (head > 0 && text.length < longChars) return text;
  const cut = `[... ${text.length - head} characters cut; recall #${entry}]`;
  const shown = `${takeStart(text, head)}${cut}`;
  return shown.length + minFreed <= text.length ? shown : text;
}
