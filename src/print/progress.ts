import { subjectOf } from "../protocol/block.ts";
import { clip } from "../protocol/clip.ts";
import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";

/** One line about an event for standard error, without control characters; null: nothing to say. */
export function progressLine(event: AgentEvent): string | null {
  switch (event.type) {
    case "entry":
      return entryLine(event.entry);
    case "ask":
      return `denied, nobody to ask: ${plain(event.ask.title)}`;
    case "retry":
      return `retry ${event.attempt} of ${event.of} in ${Math.round(event.waitMs / 1000)} s: ${plain(event.reason)}`;
    case "idle":
      return event.message === undefined ? null : plain(event.message);
    default:
      return null;
  }
}

function entryLine(entry: Entry): string | null {
  switch (entry.type) {
    case "assistant": {
      const calls = entry.content.flatMap((block) =>
        block.type === "tool_use"
          ? [plain(`${block.name} ${subjectOf(block.input)?.text ?? JSON.stringify(block.input)}`)]
          : [],
      );
      return calls.length === 0 ? null : calls.join("\n");
    }
    case "result":
      return entry.isError ? `${plain(entry.tool)} failed` : null;
    case "note":
      return entry.kind === "warning" ? plain(entry.text) : null;
    case "cut":
      return `compacted (${entry.tier}): ${entry.price.usedBefore} -> ${entry.price.usedAfter} tokens, ${plain(entry.reason)}`;
    default:
      return null;
  }
}

const maxChars = 200;

/** Without control characters, and short. */
const plain = (text: string): string =>
  clip(text.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, " "), maxChars);
