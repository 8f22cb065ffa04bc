import { takeStart } from "../../protocol/clip.ts";
import { callOf } from "../../context/placeholder.ts";
import type { View } from "../../context/types.ts";
import { textOf } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { callTitle } from "../transcript/format.ts";

/** An entry in one line. */
export function describeEntry(view: View, entry: Entry): string {
  switch (entry.type) {
    case "result":
      return callTitle(entry.tool, callOf(view, entry)?.input ?? {});
    case "user":
      return `you: ${takeStart(sanitizeLine(textOf(entry.content)), 120)}`;
    case "context":
      return `${entry.kind}: ${sanitizeLine(entry.title)}`;
    case "assistant": {
      const words = takeStart(sanitizeLine(textOf(entry.content)), 120);
      const calls = entry.content.flatMap((block) =>
        block.type === "tool_use" ? [block.name] : [],
      );
      return words === "" && calls.length > 0
        ? `calls ${sanitizeLine(calls.join(", "))}`
        : `answer: ${words}`;
    }
    default:
      return entry.type;
  }
}
