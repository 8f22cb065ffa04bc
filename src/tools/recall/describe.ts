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

/** "5 minutes ago"; never in the future, even if the clock was set back. */
export function describeAge(at: string, nowMs: number): string {
  const minutes = Math.max(0, Math.round((nowMs - Date.parse(at)) / 60_000)) || 0;
  if (minutes < 1) return "just now";
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.round(minutes / 60), "hour"]
        : [Math.round(minutes / 1_440), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
