/** Chooses the next step of a turn after an answer without tool calls. */

import { blockText } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";

type NextStep =
  | { next: "done" }
  /** Send `reminder` and call the model again. */
  | { next: "continue"; reminder: string }
  /** The window is full: compact, then continue. */
  | { next: "compact"; reminder: string }
  | { next: "give-up"; message: string };

/** Continuations without a tool call or a prompt in between, before the turn gives up. */
const maxPausesInARow = 10;
const maxInARow = 3;
/** Continuations in one turn. */
const maxInTurn = 12;

/** `inARow`, `inTurn`: continuations so far, since the last tool call or prompt and since the turn began. */
export function nextStep(
  { stop, content }: Pick<EntryOf<"assistant">, "stop" | "content">,
  detail: string | undefined,
  inARow: number,
  inTurn: number,
): NextStep {
  const isExhausted = inARow >= maxInARow || inTurn >= maxInTurn;
  switch (stop) {
    case "end_turn":
    case "stop_sequence":
    case "tool_use":
      if (blockText(content).trim() !== "") return { next: "done" };
      if (inARow === 0 && inTurn < maxInTurn)
        return {
          next: "continue",
          reminder:
            "Your last answer was empty. Continue the task, or say in a sentence that it is done.",
        };
      return giveUp("The model keeps sending empty answers. Send “continue” to resume.");
    case "compaction":
      return { next: "done" };
    case "pause_turn":
      if (inARow < maxPausesInARow && inTurn < maxInTurn)
        return { next: "continue", reminder: "Continue where you paused." };
      return giveUp("The model keeps pausing. Send “continue” to resume.");
    case "max_tokens":
      if (!isExhausted)
        return {
          next: "continue",
          reminder:
            "Your last answer reached the output limit and was cut off. Continue exactly where it stopped, in smaller steps.",
        };
      return giveUp(
        "The answer reached the model's output limit several times. Send “continue” to resume, or ask for less at once.",
      );
    case "model_context_window_exceeded":
      if (!isExhausted)
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
