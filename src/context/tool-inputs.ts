/** Shorter inputs for finished tool calls. */

import { takeStart } from "../base/clip.ts";
import type { ToolInput } from "../protocol/block.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { View } from "./types.ts";

/** Longer texts are cut to their first `headChars` characters. */
const longChars = 150;
const headChars = 60;
/** A cut must free this many characters. */
const minFreed = 40;

/** What a text in an input is: replaced by the call, written by it, or anything else. */
type Role = "replaced" | "written" | "other";

/**
 * The input without its long texts, but with those that it writes if `keepsWritten`; null if that
 * frees too little. A replaced text exists nowhere any more. What is cut can be recalled by its
 * `entry`.
 */
export function shortened(
  input: ToolInput,
  keepsWritten: boolean,
  entry: EntryId,
): ToolInput | null {
  const next = withTexts(input, (text, key) => {
    const role = roleOf(key);
    if (keepsWritten && role === "written") return text;
    return clipped(text, role === "replaced" ? 0 : headChars, entry);
  });
  return sizeOf(next) + minFreed <= sizeOf(input) ? next : null;
}

/** The input with every text clipped to its first `maxChars` characters. */
export const clippedInput = (input: ToolInput, maxChars: number, entry: EntryId): ToolInput =>
  withTexts(input, (text) => (text.length > maxChars ? clipped(text, maxChars, entry) : text));

type ChangeText = (text: string, key: string) => string;

/** The input with every text changed; `key`: of the property that holds it. */
const withTexts = (input: object, change: ChangeText): ToolInput =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, changed(value, name, change)]),
  );

function changed(value: unknown, key: string, change: ChangeText): unknown {
  if (typeof value === "string") return change(value, key);
  if (Array.isArray(value)) return value.map((one) => changed(one, key, change));
  return typeof value === "object" && value !== null ? withTexts(value, change) : value;
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
  const { sentFrom } = view;
  for (const cut of view.cuts.toReversed()) {
    // Earlier cuts changed earlier rows, which summaries replaced.
    if ((view.indexOf(cut.id) ?? 0) < sentFrom) break;
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

function clipped(text: string, head: number, entry: EntryId): string {
  if (head > 0 && text.length < longChars) return text;
  const cut = `[... ${text.length - head} characters cut; recall #${entry}]`;
  const shown = `${takeStart(text, head)}${cut}`;
  return shown.length + minFreed <= text.length ? shown : text;
}
