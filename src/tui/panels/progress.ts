import type { CompactionState } from "../../protocol/event.ts";
import type { ScreenState } from "../state.ts";
import { sanitiseLine } from "../sanitise.ts";

/** Where a compaction is, in one line: the newest words of the summary, or what became of it. */
export function progressLine(
  compaction: CompactionState | null,
  phase: ScreenState["phase"],
  columns: number,
): string {
  switch (compaction?.step) {
    case "writing": {
      const tail = sanitiseLine(compaction.text.slice(-columns * 2));
      return `writing: ${[...tail].slice(-Math.max(10, columns - 10)).join("")}`;
    }
    case "failed":
      return sanitiseLine(compaction.message);
    case "started":
      return "writing the summary";
    case "review":
      return "the summary waits for your word";
    case "done":
    case undefined:
      return phase === "idle" ? "Done." : "compacting";
    default:
      return compaction satisfies never;
  }
}
