import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import { modelError } from "./model-error.ts";
import { tokensIn } from "./tokenizer.ts";

/** Words between two pauses, in which the screen can draw and handle a key. */
const wordsAtOnce = 4;

/** Streams word by word, as a model does; returns the tokens of all blocks. Throws "aborted" when stopped. */
export async function* streamBlocks(
  blocks: readonly AssistantBlock[],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, number> {
  let tokens = 0;
  let words = 0;
  for (const [index, block] of blocks.entries()) {
    const kind = block.type === "text" ? "text" : "input";
    const text = block.type === "text" ? block.text : inputOf(block);
    for (const piece of kind === "text" ? (text.match(/\s*\S+\s*/g) ?? []) : [text]) {
      if (signal.aborted) throw modelError("aborted", "The call was stopped.");
      yield { type: "delta", index, kind, text: piece };
      words += 1;
      if (words % wordsAtOnce === 0) await breathe();
    }
    tokens += tokensIn(block.type === "text" ? text : JSON.stringify(block));
    yield { type: "block", index, block };
  }
  if (signal.aborted) throw modelError("aborted", "The call was stopped.");
  return tokens;
}

const inputOf = (block: AssistantBlock): string =>
  block.type === "tool_use" ? JSON.stringify(block.input) : "";

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
