/** The thinking of a turn that is still calling tools must be sent back unchanged. */

import { invalid } from "./refusal.ts";
import { stable } from "./pieces.ts";
import { toBlocks, type ApiBlock, type ApiMessage } from "./schema.ts";

const isThinking = ({ type }: ApiBlock): boolean =>
  type === "thinking" || type === "redacted_thinking";

export class OpenTurns {
  /** By the id of each call: the thinking in the same answer. */
  readonly #thinking = new Map<string, readonly string[]>();

  remember(answer: readonly ApiBlock[]): void {
    const thinking = answer.filter(isThinking).map(stable);
    for (const block of answer)
      if (block.type === "tool_use") this.#thinking.set(block.id, thinking);
  }

  check(messages: readonly ApiMessage[]): void {
    const last = messages.at(-1);
    if (last?.role !== "user" || !isResult(last)) return;
    const start = messages.findLastIndex(
      (message) => message.role === "user" && !isResult(message),
    );
    for (const [index, message] of messages.entries())
      if (index > start && message.role === "assistant") this.#checkMessage(message, index);
  }

  #checkMessage(message: ApiMessage, index: number): void {
    const blocks = toBlocks(message);
    const answers = new Set(
      blocks.flatMap((block) => (block.type === "tool_use" ? [this.#thinking.get(block.id)] : [])),
    );
    // The fake did not make this call: it comes from another server or from the test.
    if (answers.size === 0 || answers.has(undefined)) return;
    const was = [...answers].flatMap((thinking) => thinking ?? []);
    const is = blocks.filter(isThinking).map(stable);
    const wrong = Math.max(was.length, is.length);
    for (let at = 0; at < wrong; at += 1)
      if (was[at] !== is[at])
        throw invalid(
          `messages.${index}.content.${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
        );
  }
}

/** A message that answers a call; not one with which the user begins a turn. */
const isResult = (message: ApiMessage): boolean =>
  toBlocks(message).some(({ type }) => type === "tool_result");
