import type { Stop } from "../protocol/model.ts";

/** What follows from the way an answer without tool calls ended. */
export type NextStep =
  | { next: "done" }
  /** Go on, after telling the model `reminder`. */
  | { next: "go-on"; reminder: string }
  /** The window is full: compact, then go on. */
  | { next: "compact"; reminder: string }
  | { next: "give-up"; message: string };

/** `goneOn`: how often this turn already went on by itself. */
export function nextStep(stop: Stop, detail: string | undefined, goneOn: number): NextStep {
  switch (stop) {
    case "end_turn":
    case "stop_sequence":
    case "tool_use":
    case "compaction":
      return { next: "done" };
    case "pause_turn":
      return goneOn < 10
        ? { next: "go-on", reminder: "Continue where you paused." }
        : {
            next: "give-up",
            message: "The model paused 10 times in a row. Say “continue” to go on.",
          };
    case "max_tokens":
      return goneOn < 3
        ? {
            next: "go-on",
            reminder:
              "Your last answer reached the output limit and was cut off. Continue exactly where it stopped, in smaller steps.",
          }
        : {
            next: "give-up",
            message:
              "The answer reached the model's output limit four times in a row. Say “continue” to go on, or ask for less at once.",
          };
    case "model_context_window_exceeded":
      return goneOn < 3
        ? {
            next: "compact",
            reminder: "The context window was full and has been compacted. Continue.",
          }
        : {
            next: "give-up",
            message:
              "The context window is full and compacting did not help. Drop large items in the inspector, or start a new session.",
          };
    case "refusal":
      return {
        next: "give-up",
        message: `The model declined to answer${detail ? ` (${detail})` : ""}. Rephrase the request, or go back with /rewind.`,
      };
    case "interrupted":
    case "failed":
      return { next: "give-up", message: "The answer was cut off." };
    default:
      return stop satisfies never;
  }
}
