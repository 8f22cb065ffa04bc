/** How a large tool result enters the history. */

import { cutMiddle } from "../../src/base/clip.ts";
import { preview } from "../../src/context/tiers/persist.ts";
import { maxResultChars } from "../../src/tools/results.ts";
import { blockText } from "../../src/protocol/block.ts";
import type { ResultFact } from "../../src/protocol/entry.ts";
import type { Policy } from "../../src/protocol/policy.ts";

export type Arrive = (result: ResultFact, file: string) => ResultFact;

const withText = (result: ResultFact, text: string): ResultFact => ({
  ...result,
  content: [{ type: "text", text }],
});

const isRead = ({ tool }: ResultFact): boolean => /^read/i.test(tool);

/** As our tools do it: the full result is saved to a file, and a preview enters the history. */
export const persisted =
  (policy: Policy): Arrive =>
  (result, file) => {
    // Reads come in pages of the size that the model asked for.
    if (isRead(result) || result.file !== undefined) return result;
    const text = blockText(result.content);
    if (result.bytes <= policy.persistBytes)
      return text.length > maxResultChars
        ? withText(result, cutMiddle(text, maxResultChars))
        : result;
    const short = preview({ ...result, file }, { head: text }, policy);
    return { ...withText(result, short), file };
  };

/** Shell output and other results keep their ends, at most `maxChars`. */
export const limited =
  (maxChars: number): Arrive =>
  (result) => {
    const text = blockText(result.content);
    return isRead(result) || text.length <= maxChars
      ? result
      : withText(result, cutMiddle(text, maxChars));
  };
