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

/** The exact texts that a call replaces, by the names that agents have for them. */
export function replacementsIn(input: ToolInput): Replacement[] {
  const parsed = [one.parse(input), ...many.parse(input).edits];
  return parsed.flatMap((edit) => {
    const from = edit.old_string || edit.oldText || edit.old_text || edit.old_str || edit.old;
    const to = edit.new_string || edit.newText || edit.new_text || edit.new_str || edit.new;
    return from.trim().length >= 3 ? [{ from, to }] : [];
  });
}
