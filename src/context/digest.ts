/** Facts about an entry that tiers need repeatedly. Read once: an old entry is on disk. */

import { filePathOf, type ToolUseBlock } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";
import { replacesText, shortened, sizeOf } from "./tool-inputs.ts";
import type { CallDigest, Digest } from "./types.ts";

export function digestOf(entry: Entry): Digest {
  const { id, type } = entry;
  switch (type) {
    case "result": {
      const { tool, bytes, lines, file } = entry;
      const stamps = (entry.stamps ?? []).map(({ path, does, lines: range }) => {
        return { path, does, ...(range && { lines: range }) };
      });
      const [isError, loads] = [entry.isError === true, entry.loads !== undefined];
      return { type, id, tool, bytes, lines, file, isError, loads, stamps };
    }
    case "assistant": {
      const calls = entry.content.flatMap((block) =>
        block.type === "tool_use" ? [callDigest(block, id)] : [],
      );
      return { type, id, isAnswer: isAnswer(entry), calls };
    }
    default:
      return { type, id };
  }
}

function callDigest({ id, input }: ToolUseBlock, entry: EntryId): CallDigest {
  const path = filePathOf(input);
  const isWhole = path !== null && typeof input["content"] === "string";
  const writes = path !== null && (isWhole || replacesText(input));
  const shortenedSize = (keepsWritten: boolean): number | null => {
    const next = shortened(input, keepsWritten, entry);
    return next && sizeOf(next);
  };
  return {
    id,
    path,
    isWhole,
    writes,
    size: sizeOf(input),
    shortened: shortenedSize(false),
    withWritten: writes ? shortenedSize(true) : null,
  };
}
