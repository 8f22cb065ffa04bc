import { priceOf } from "../context/cache.ts";
import type { Row } from "../context/types.ts";
import { textOf } from "../protocol/block.ts";
import { clip } from "../base/clip.ts";
import type { Change, CutFact } from "../protocol/entry.ts";
import type { Session } from "./session.ts";

/** Most characters kept of one input or result. */
const maxChars = 4_000;

/**
 * A cut that turns the open tool loop into text, for when the API accepts none of its thinking.
 * Null when no loop is open.
 */
export function foldOpenLoop({ signals }: Session): CutFact | null {
  const { view } = signals;
  const rows = view.rows.slice(view.loopStart);
  const first = rows.findIndex(
    ({ entry }) => entry.type === "assistant" && entry.stop !== "failed",
  );
  const last = rows.findLastIndex(({ entry }) => entry.type === "result");
  const from = rows[first];
  const to = rows[last];
  if (!view.midLoop || !from || !to || last < first) return null;
  const steps = rows.slice(first, last + 1).flatMap(stepsOf);
  const text = ["What you did in this turn so far, as a record:", ...steps].join("\n\n");
  const span = { from: from.entry.id, to: to.entry.id };
  const changes: Change[] = [{ kind: "cover", span, text }];
  return {
    type: "cut",
    tier: "manual",
    trigger: "auto",
    reason: "the API refused the thinking of this turn",
    changes,
    price: priceOf(signals, changes),
    midLoop: true,
  };
}

function stepsOf({ entry, text }: Row): string[] {
  switch (entry.type) {
    case "user":
      return [`The user: ${textOf(entry.content)}`];
    case "assistant":
      return entry.content.flatMap((block) => {
        if (block.type === "text") return [block.text];
        if (block.type !== "tool_use") return [];
        return [`You called ${block.name} with ${clip(JSON.stringify(block.input), maxChars)}`];
      });
    case "result":
      return [`Result of ${entry.tool}: ${clip(text ?? textOf(entry.content), maxChars)}`];
    default:
      return [];
  }
}
