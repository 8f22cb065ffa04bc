import type { Stop } from "../protocol/model.ts";

/** The step after an answer without tool calls, by how it ended. */
export type NextStep =
  | { next: "done" }
  /** Send `reminder` and call the model again. */
  | { next: "continue"; reminder: string }
  /** The window is full: compact, then continue. */
  | { next: "compact"; reminder: string }
  | { next: "give-up"; message: string };

/** Continuations in a row before the turn gives up. */
const maxPauses = 10;
const maxContinuations = 3;

/** `continuations`: how often in a row the turn has already continued by itself. */
export function nextStep(stop: Stop, detail: string | undefined, continuations: number): NextStep {
  switch (stop) {
    case "end_turn":
    case "stop_sequence":
    case "tool_use":
    case "compaction":
      return { next: "done" };
    case "pause_turn":
      if (continuations < maxPauses)
        return { next: "continue", reminder: "Continue where you paused." };
      return giveUp("The model paused 10 times in a row. Send “continue” to resume.");
    case "max_tokens":
      if (continuations < maxContinuations)
        return {
          next: "continue",
          reminder:
            "Your last answer reached the output limit and was cut off. Continue exactly where it stopped, in smaller steps.",
        };
      return giveUp(
        "The answer reached the model's output limit four times in a row. Send “continue” to resume, or ask for less at once.",
      );
    case "model_context_window_exceeded":
      if (continuations < maxContinuations)
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
    case "interrupted":
    case "failed":
      return giveUp("The answer was cut off.");
    default:
      return stop satisfies never;
  }
}

const giveUp = (message: string): NextStep => ({ next: "give-up", message });
