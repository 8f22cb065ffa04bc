/** The step of a turn after an answer without tool calls. */

import { blockText } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";

/** The step after an answer without tool calls, by how it ended. */
type NextStep =
  | { next: "done" }
  /** Send `reminder` and call the model again. */
  | { next: "continue"; reminder: string }
  /** The window is full: compact, then continue. */
  | { next: "compact"; reminder: string }
  | { next: "give-up"; message: string };

/** Continuations in a row before the turn gives up. */
const maxPauses = 10;
const maxContinuations = 3;
/** Total, including interleaved calls. */
const maxContinued = 12;

/**
 * `continuations`: how often in a row the turn has already continued by itself; `continued`: how often
 * since it began.
 */
export function nextStep(
  { stop, content }: Pick<EntryOf<"assistant">, "stop" | "content">,
  detail: string | undefined,
  continuations: number,
  continued: number,
): NextStep {
  const isTired = continuations >= maxContinuations || continued >= maxContinued;
  switch (stop) {
    case "end_turn":
    case "stop_sequence":
    case "tool_use":
      if (blockText(content).trim() !== "") return { next: "done" };
      if (continuations === 0 && continued < maxContinued)
        return {
          next: "continue",
          reminder:
            "Your last answer was empty. Continue the task, or say in a sentence that it is done.",
        };
      return giveUp("The model answered with nothing, twice in a row. Send “continue” to resume.");
    case "compaction":
      return { next: "done" };
    case "pause_turn":
      if (continuations < maxPauses && continued < maxContinued)
        return { next: "continue", reminder: "Continue where you paused." };
      return giveUp("The model paused 10 times in a row. Send “continue” to resume.");
    case "max_tokens":
      if (!isTired)
        return {
          next: "continue",
          reminder:
            "Your last answer reached the output limit and was cut off. Continue exactly where it stopped, in smaller steps.",
        };
      return giveUp(
        "The answer reached the model's output limit again and again. Send “continue” to resume, or ask for less at once.",
      );
    case "model_context_window_exceeded":
      if (!isTired)
        return {
          next: "compact",
          reminder: "The context window was full and has been compacted. Continue.",
        };
      return giveUp(
        "The context window is full and compacting did not help. Drop large items in the inspector, or start a new session.",
      );
    case "refusal":
      return giveUp(
        `The model declined to answer${detail ? ` (${detail})` : ""}. Rephrase the request, or go back with /rewind.`,
      );
    case "unknown":
      return giveUp(detail ?? "The server ended the answer for an unknown reason.");
    case "interrupted":
    case "failed":
      return giveUp("The answer was cut off.");
    default:
      return stop satisfies never;
  }
}

const giveUp = (message: string): NextStep => ({ next: "give-up", message });
