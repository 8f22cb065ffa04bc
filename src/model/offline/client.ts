/** The offline model with the interface of every model client. */

import { setImmediate } from "node:timers/promises";
import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelEvent, ModelRequest, ModelRules } from "../../protocol/model.ts";
import type { ModelClient, ModelError } from "../client.ts";
import { charsPerToken, countTokens, tokensOfRequest } from "./conversation.ts";

export function createOfflineClient({ windowTokens }: { windowTokens: number }): ModelClient {
  const rules: ModelRules = {
    model: "offline",
    windowTokens,
    outputTokens: Math.min(4_096, Math.floor(windowTokens / 4)),
    prices: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
    thinking: "none",
    caches: false,
    // It keeps nothing between calls, so no cut loses anything.
    cacheMinimumTokens: Number.POSITIVE_INFINITY,
    compacts: false,
    countsTokens: true,
    summarizes: false,
    charsPerToken: { prose: charsPerToken, code: charsPerToken, result: charsPerToken },
  };
  return {
    label: "offline",
    models: () => Promise.resolve(["offline"]),
    rules: (model) => Promise.resolve({ ...rules, model }),
    countTokens: (request) => Promise.resolve(tokensOfRequest(request)),
    stream: (request, signal) => answer(request, signal, windowTokens),
  };
}

async function* answer(
  request: ModelRequest,
  signal: AbortSignal,
  windowTokens: number,
): AsyncGenerator<ModelEvent, void> {
  const input = tokensOfRequest(request);
  if (input > windowTokens) {
    throw modelError(
      "too-long",
      `The prompt is too long: ${input} tokens, and the offline model's window holds ${windowTokens}.`,
      { status: 400, sizes: { tokens: input, limit: windowTokens } },
    );
  }
  // Loaded with the first question, so that the screen is shown without it.
  const { planAnswer } = await import("./planner.ts");
  const blocks = planAnswer(request);
  const output = yield* streamBlocks(blocks, signal);
  const stop = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  yield { type: "stop", stop, usage: { input, cacheRead: 0, cacheWrite: 0, output } };
}

/** Words between two pauses, in which the screen can draw and handle a key. */
const wordsAtOnce = 4;

/** Streams word by word, as a model does; returns the tokens of all blocks. Throws "aborted" when stopped. */
async function* streamBlocks(
  blocks: readonly AssistantBlock[],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, number> {
  let tokens = 0;
  let words = 0;
  for (const [index, block] of blocks.entries()) {
    const kind = block.type === "text" ? "text" : "input";
    const text = block.type === "text" ? block.text : showInput(block);
    for (const piece of kind === "text" ? (text.match(/\s*\S+\s*/g) ?? []) : [text]) {
      if (signal.aborted) throw modelError("aborted", "The call was stopped.");
      yield { type: "delta", index, kind, text: piece };
      words += 1;
      if (words % wordsAtOnce === 0) await setImmediate();
    }
    tokens += countTokens(block.type === "text" ? text : JSON.stringify(block));
    yield { type: "block", index, block };
  }
  if (signal.aborted) throw modelError("aborted", "The call was stopped.");
  return tokens;
}

const showInput = (block: AssistantBlock): string =>
  block.type === "tool_use" ? JSON.stringify(block.input) : "";

/** An error like that of other model clients, recognized by its name and kind. */
function modelError(
  kind: ModelError["kind"],
  message: string,
  more: Pick<ModelError, "status" | "sizes"> = {},
): ModelError {
  return Object.assign(new Error(message), { name: "ModelError", kind, ...more });
}
