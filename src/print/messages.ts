/** Entries as messages of Claude Code. */

import { textOf } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { errorText } from "./result-message.ts";
import type { TurnReport } from "./run-stats.ts";
import { answerOnWire, uuidOf } from "./wire.ts";

type Message = { uuid?: string; [key: string]: unknown };

/** One message for each block of an answer. All share the id of the answer. */
export function answerMessages(answer: EntryOf<"assistant">, id: string): Message[] {
  const { content, model, usage } = answer;
  return content.map((block, index) => ({
    type: "assistant",
    message: answerOnWire(id, model, [block], usage),
    uuid: uuidOf(answer, index),
  }));
}

/** The error that ended a turn, where its answer would be. */
export function errorMessage({ end, usage }: TurnReport): Message {
  const content = [{ type: "text", text: errorText(end) }];
  return {
    type: "assistant",
    message: answerOnWire("msg_error", "<synthetic>", content, usage),
    error: errorKind(end.apiError?.status ?? null),
  };
}

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

/** The result of a tool call as a message of the user, as the model gets it. */
export function toolResultMessage({ toolUse, tool, content, isError }: EntryOf<"result">): {
  [key: string]: unknown;
} {
  const text = textOf(content);
  const isText = content.every((block) => block.type === "text");
  const result = {
    tool_use_id: toolUse,
    type: "tool_result",
    content: isText ? text : content,
    ...(isError ? { is_error: true } : {}),
  };
  return {
    type: "user",
    message: { role: "user", content: [result] },
    tool_use_result: isError ? `Error: ${text}` : outputOf(tool, text),
  };
}

const outputOf = (tool: string, text: string): unknown =>
  tool === "Bash" ? { stdout: text, stderr: "", interrupted: false, isImage: false } : text;

/** The boundary of a cut, and the text of a summary. */
export function cutMessages(cut: EntryOf<"cut">): { uuid: string; [key: string]: unknown }[] {
  const { tier, trigger, price, changes } = cut;
  const isAutomatic = trigger === "auto" || trigger === "idle" || trigger === "too-long";
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: {
      trigger: isAutomatic ? "auto" : "manual",
      pre_tokens: price.usedBefore,
      post_tokens: price.usedAfter,
      tier,
    },
    uuid: uuidOf(cut),
  };
  const summaries = changes.flatMap((change) => (change.kind === "cover" ? [change.text] : []));
  return [
    boundary,
    ...summaries.map((text, index) => ({
      type: "user",
      message: { role: "user", content: text },
      isSynthetic: true,
      uuid: uuidOf(cut, index + 1),
    })),
  ];
}
