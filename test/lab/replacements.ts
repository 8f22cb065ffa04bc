/** The exact texts that a call replaces, from edits of any agent and from Codex patches. */

import type { ToolInput } from "../../src/protocol/block.ts";
import { isRecord } from "../../src/base/guards.ts";

export type Replacement = { from: string; to: string };

const oldKeys = ["old_string", "oldText", "old_text", "old_str", "old"];
const newKeys = ["new_string", "newText", "new_text", "new_str", "new"];

/** Texts that an edit replaces, under any agent's parameter names. */
export function findReplacements(input: ToolInput): Replacement[] {
  const { edits } = input;
  const all = [input, ...(Array.isArray(edits) ? edits.filter(isRecord) : [])];
  return all.flatMap((edit) => {
    const from = textAt(edit, oldKeys);
    return from.trim().length >= 3 ? [{ from, to: textAt(edit, newKeys) }] : [];
  });
}

const textAt = (edit: ToolInput, keys: readonly string[]): string =>
  keys
    .map((key) => edit[key])
    .find((value): value is string => typeof value === "string" && value !== "") ?? "";

const opening = "*** Begin Patch";
const closing = "*** End Patch";

/**
 * Hunks of patches in Codex's format (`*** Begin Patch`), even inside a script's string literal: each
 * run of kept and removed lines, and what replaces it.
 */
export function findPatches(input: ToolInput): Replacement[] {
  return Object.values(input).flatMap((value) =>
    typeof value === "string" && value.includes(opening) ? parseHunks(extractPatch(value)) : [],
  );
}

function extractPatch(script: string): string {
  const from = script.indexOf(opening);
  const to = script.indexOf(closing, from);
  const patch = script.slice(from, to === -1 ? undefined : to);
  return patch.includes("\n") ? patch : unescape(patch);
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
const unescape = (text: string): string =>
  text.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);

function parseHunks(patch: string): Replacement[] {
  const hunks: Replacement[] = [];
  let from: string[] = [];
  let to: string[] = [];
  const close = (): void => {
    if (from.some((line) => line.trim() !== ""))
      hunks.push({ from: from.join("\n"), to: to.join("\n") });
    from = [];
    to = [];
  };
  for (const line of patch.split("\n")) {
    const sign = line[0];
    if (sign === "+") to.push(line.slice(1));
    else if (sign === "-") from.push(line.slice(1));
    else if (sign === " ") {
      from.push(line.slice(1));
      to.push(line.slice(1));
    } else close();
  }
  close();
  return hunks;
}
