/** Describes an entry in a few words, for the model. */

import type { ToolInput } from "../../protocol/block.ts";
import { takeStart } from "../../protocol/clip.ts";
import type { Entry } from "../../protocol/entry.ts";

const inputChars = 160;

/** `call`: the call of a result, if known. */
export function describeEntry(entry: Entry, call: { input: ToolInput } | null): string {
  switch (entry.type) {
    case "user":
      return "the user said";
    case "assistant":
      return "you said";
    case "context":
      return `${entry.kind}: ${oneLine(entry.title)}`;
    case "result": {
      const files = (entry.stamps ?? []).map(({ path }) => path).join(", ");
      const input = call ? JSON.stringify(call.input) : files;
      return `result of ${entry.tool} ${takeStart(oneLine(input), inputChars)}`.trim();
    }
    default:
      return entry.type;
  }
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ");
