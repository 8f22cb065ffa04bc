import type { EntryOf } from "../protocol/entry.ts";
import { uuidOf } from "./ids.ts";
import { errorText } from "./result-message.ts";
import type { TurnReport } from "./run-stats.ts";
import { usageOnWire } from "./wire.ts";

type Message = { uuid?: string; [key: string]: unknown };

/** One message for each block of an answer. All share the id of the answer. */
export function answerMessages(answer: EntryOf<"assistant">, id: string): Message[] {
  const { content, model, usage } = answer;
  return content.map((block, index) => ({
    type: "assistant",
    message: assistant(id, model, [block], usageOnWire(usage)),
    uuid: uuidOf(answer, index),
  }));
}

/** The error that ended a turn, where its answer would be. */
export function errorMessage({ end, usage }: TurnReport): Message {
  const content = [{ type: "text", text: errorText(end) }];
  return {
    type: "assistant",
    message: assistant("msg_error", "<synthetic>", content, usageOnWire(usage)),
    error: errorKind(end.apiError?.status ?? null),
  };
}

const assistant = (id: string, model: string, content: readonly object[], usage: object) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: null,
  stop_sequence: null,
  usage,
});

function errorKind(status: number | null): string {
  switch (status) {
    case 400:
    case 413:
      return "invalid_request";
    case 401:
    case 403:
      return "authentication_failed";
    case 404:
      return "model_not_found";
    case 429:
      return "rate_limit";
    case 529:
      return "overloaded";
    default:
      return status !== null && status >= 500 ? "server_error" : "unknown";
  }
}
