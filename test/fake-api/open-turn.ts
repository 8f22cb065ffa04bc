/** The thinking of the turn that is still calling tools must come back as it was. */

import { invalid } from "./refusal.ts";
import { stable } from "./pieces.ts";
import { blocksOf, type ApiBlock, type ApiMessage } from "./schema.ts";

const isThinking = ({ type }: ApiBlock): boolean =>
  type === "thinking" || type === "redacted_thinking";

export class OpenTurns {
  /** By the id of each call: the thinking that came with it. */
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
    const blocks = blocksOf(message);
    const answers = new Set(
      blocks.flatMap((block) => (block.type === "tool_use" ? [this.#thinking.get(block.id)] : [])),
    );
    // A call that the fake never made: of another server, or of a test's own making.
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

/** Answers a call; a turn that a person began does not. */
const isResult = (message: ApiMessage): boolean =>
  blocksOf(message).some(({ type }) => type === "tool_result");
