/**
 * Thinking that is bound to what stood before it. A block's signature holds a hash of its prefix
 * (system, tools, every earlier message, without cache marks and without thinking that was stripped
 * from the start) and of the thinking block before it.
 */

import { bare, invalid, type WireMessage, type WireRequest } from "./wire.ts";

export const bindingBeta = "thinking-binding-controls-2026-08-01";

const hash = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(`fake:${text}`).digest("hex").slice(0, 24);

const isThinking = ({ type }: { type: string }): boolean =>
  type === "thinking" || type === "redacted_thinking";

/** What a block is bound to: everything before it but thinking, which its chain covers. */
function prefixOf(request: WireRequest, index: number): string {
  const before = request.messages.slice(0, index).map(({ role, content }) => ({
    role,
    content: content.filter((block) => !isThinking(block)),
  }));
  return hash(bare([request.system ?? [], request.tools ?? [], before]));
}

/** Signature of a new thinking block in the answer to `request`. */
export function sign(request: WireRequest, thinking: string): string {
  const earlier = request.messages.flatMap(({ content }) => content.filter(isThinking)).at(-1);
  const chain = earlier ? hash(String(earlier.signature ?? earlier.data)) : "first";
  const prefix = prefixOf(request, request.messages.length);
  return ["v1", prefix, chain, hash(thinking), hash(`${prefix}${chain}${thinking}`)].join(".");
}

/** Throws for the first block that is not where it was made; with "drop_block" gives how many went. */
export function checkThinking(request: WireRequest, betas: readonly string[]): number {
  const drop = request.thinking?.block_binding?.prefix_mismatch_behavior === "drop_block";
  if (request.thinking?.block_binding && !betas.includes(bindingBeta)) {
    throw invalid(
      `thinking.block_binding: Extra inputs are not permitted (needs beta ${bindingBeta})`,
    );
  }
  let dropped = 0;
  let last: string | null = null;
  let seen = false;
  for (const [index, message] of request.messages.entries()) {
    if (message.role !== "assistant") continue;
    for (const [at, block] of message.content.entries()) {
      if (!isThinking(block)) continue;
      const [version, prefix, chain, text, seal] = String(block.signature ?? "").split(".");
      const genuine =
        version === "v1" &&
        text === hash(block.thinking ?? "") &&
        seal === hash(`${prefix}${chain}${block.thinking ?? ""}`);
      if (!genuine)
        throw invalid(
          `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`,
        );
      // The start of history may be cut off: the first block that is left may point at one that went.
      const chained = !seen || chain === (last === null ? "first" : hash(last));
      const bound = prefix === prefixOf(request, index);
      if (bound && chained) {
        last = String(block.signature);
        seen = true;
      } else if (drop) dropped++;
      else {
        throw invalid(
          `messages.${index}.content.${at}: Invalid signature in thinking block. The block is bound to a different conversation`,
        );
      }
    }
  }
  return dropped;
}

/** The latest turn's thinking, in an open tool loop, must be all there and unchanged. */
export function checkLatestTurn(request: WireRequest, made: ReadonlyMap<string, string>): void {
  const last = request.messages.at(-1);
  const answer = request.messages.at(-2);
  if (
    !last ||
    answer?.role !== "assistant" ||
    !last.content.some(({ type }) => type === "tool_result")
  )
    return;
  const expected = made.get(keyOf(answer));
  const sent = bare(answer.content.filter(isThinking));
  if (expected !== undefined && expected !== sent) {
    throw invalid(
      "messages: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    );
  }
}

/** Remembers the thinking of an answer, by its calls. */
export function remember(answer: WireMessage, made: Map<string, string>): void {
  made.set(keyOf(answer), bare(answer.content.filter(isThinking)));
}

const keyOf = ({ content }: WireMessage): string =>
  content.flatMap(({ id }) => (id ? [id] : [])).join(",");
