/** The exact texts that a call replaces, from edits of any agent and from Codex patches. */

import { z } from "zod";
import type { ToolInput } from "../../protocol/block.ts";

export type Replacement = { from: string; to: string };

const word = z.string().catch("");
const one = z.looseObject({
  old_string: word,
  oldText: word,
  old_str: word,
  old_text: word,
  old: word,
  new_string: word,
  newText: word,
  new_str: word,
  new_text: word,
  new: word,
});
const many = z.looseObject({ edits: z.array(one).catch([]) });

/** Texts that an edit replaces, under any agent's parameter names. */
export function replacementsIn(input: ToolInput): Replacement[] {
  const parsed = [one.parse(input), ...many.parse(input).edits];
  return parsed.flatMap((edit) => {
    const from = edit.old_string || edit.oldText || edit.old_text || edit.old_str || edit.old;
    const to = edit.new_string || edit.newText || edit.new_text || edit.new_str || edit.new;
    return from.trim().length >= 3 ? [{ from, to }] : [];
  });
}

const opening = "*** Begin Patch";
const closing = "*** End Patch";

/**
 * Hunks of patches in Codex's format (`*** Begin Patch`), even inside a script's string literal: each
 * run of kept and removed lines, and what replaces it.
 */
export function patchesIn(input: ToolInput): Replacement[] {
  return Object.values(input).flatMap((value) =>
    typeof value === "string" && value.includes(opening) ? hunksOf(patchOf(value)) : [],
  );
}

function patchOf(script: string): string {
  const from = script.indexOf(opening);
  const to = script.indexOf(closing, from);
  const patch = script.slice(from, to === -1 ? undefined : to);
  return patch.includes("\n") ? patch : unescape(patch);
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
const unescape = (text: string): string =>
  text.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);

function hunksOf(patch: string): Replacement[] {
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
