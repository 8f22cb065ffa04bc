import { createTwoFilesPatch } from "diff";
import { keepEnds } from "../cut-text.ts";

const diffedCharsAtMost = 2_000_000;

/** A unified diff for a person; of what is too large for one, the fact that it changed. */
export function showDiff(shown: string, before: string, after: string): string {
  if (before === after) return "(no change)";
  if (before.length + after.length > diffedCharsAtMost) {
    return `${shown}: ${before.length} characters become ${after.length}; too large for a diff.`;
  }
  const from = before === "" ? "/dev/null" : `a/${shown}`;
  const patch = createTwoFilesPatch(from, `b/${shown}`, before, after, undefined, undefined, {
    context: 3,
    timeout: 2_000,
  });
  if (patch === undefined) return `${shown}: changed nearly everywhere; no diff could be made.`;
  return keepEnds(patch.replace(/^=+\n/, ""), 20_000);
}
