/** Meaning of the reasons with which servers end an answer. */

import { modelStops, type Stop } from "../../protocol/model.ts";

/** Reasons to finish, by the words of servers; others are not taken for success. */
export const finishReasons = new Map<string, Stop>(
  Object.entries({
    end_turn:
      "stop end_turn eos eos_token stop_sequence complete completed done finished tool_calls tool_call tool_use function_call",
    max_tokens:
      "length max_tokens model_length max_output_tokens max_completion_tokens output_limit",
    model_context_window_exceeded:
      "model_context_window_exceeded context_window_exceeded context_length_exceeded context_length",
    refusal:
      "content_filter content_filtered sensitive safety recitation prohibited_content blocklist spii refusal",
  }).flatMap(([stop, words]) =>
    words.split(" ").flatMap((word) => {
      const known = modelStops.find((name) => name === stop);
      return known ? [[word, known] as const] : [];
    }),
  ),
);

/** The server could not finish, so the call is made again. */
export const failedReasons: ReadonlySet<string> = new Set(
  "error network_error insufficient_system_resource abort aborted cancelled canceled timeout server_error internal_error overloaded".split(
    " ",
  ),
);
