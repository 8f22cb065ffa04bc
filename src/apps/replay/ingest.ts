/** Tier 0 as the tools do it: a large result is kept in a file, and a preview goes into the history. */

import { textOf } from "../../protocol/block.ts";
import type { ResultFact } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";

export const whole = (result: ResultFact): ResultFact => result;

export const bounded =
  (policy: Pick<Policy, "persistBytes" | "previewLines" | "previewChars">) =>
  (result: ResultFact, file: string): ResultFact => {
    // Reading tools give pages: the model asked for what it got, and smaller pages would be more calls.
    if (result.tool === "read_file") return result;
    if (result.bytes <= policy.persistBytes || result.file !== undefined) return result;
    const text = textOf(result.content);
    const size = (result.bytes / 1024).toFixed(1);
    const title = `[Result too large to show: ${size} KB, ${result.lines} lines. Saved whole to ${file} - use read_file with offset and limit to see the rest.]`;
    const head = text
      .split("\n", policy.previewLines)
      .join("\n")
      .slice(0, policy.previewChars - title.length - 60);
    const lines = head.split("\n").length;
    return {
      ...result,
      file,
      content: [{ type: "text", text: `${title}\nFirst ${lines} lines:\n${head}` }],
    };
  };
