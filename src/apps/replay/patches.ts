/** Patches in the format of Codex (`*** Begin Patch`), also inside a script's string literal. */

import type { ToolInput } from "../../protocol/block.ts";
import type { Replacement } from "./edits-in.ts";

const opening = "*** Begin Patch";
const closing = "*** End Patch";

/** Each run of kept and removed lines, and what stands there afterwards. */
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
