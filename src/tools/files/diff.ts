import { keepEnds } from "../cut-text.ts";

/** Only loaded for the first change. */
const jsdiff = (): typeof import("diff") => require("diff");

const maxDiffedChars = 2_000_000;

/** A readable unified diff, or a sentence if the change is too large for one. */
export function showDiff(shown: string, before: string, after: string): string {
  if (before === after) return "(no change)";
  if (before.length + after.length > maxDiffedChars) {
    return `${shown}: from ${before.length} to ${after.length} characters; too large for a diff.`;
  }
  const from = before === "" ? "/dev/null" : `a/${shown}`;
  const { createTwoFilesPatch } = jsdiff();
  const names = [from, `b/${shown}`] as const;
  const options = { context: 3, timeout: 2_000 };
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, options);
  if (patch === undefined) return `${shown}: changed almost everywhere; too large for a diff.`;
  return keepEnds(patch.replace(/^=+\n/, ""), 20_000);
}
