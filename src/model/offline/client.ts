/** The offline model behind the interface of every model. */

import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelEvent, ModelRequest, ModelRules } from "../../protocol/model.ts";
import type { ModelClient } from "../client.ts";
import { ModelError } from "../errors.ts";
import { planAnswer } from "./planner.ts";
import { writeSummary } from "./summary.ts";
import { charsPerToken, tokensIn, tokensOfRequest } from "./tokenizer.ts";

export type OfflineOptions = {
  /** Small, so that on any real project the context fills within a few questions. */
  windowTokens?: number;
};

export function createOfflineClient({ windowTokens = 32_000 }: OfflineOptions = {}): ModelClient {
  const rules: ModelRules = {
    model: "offline",
    windowTokens,
    outputTokens: Math.min(4_096, Math.floor(windowTokens / 4)),
    prices: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
    thinking: "none",
    caches: false,
    cacheMinimumTokens: 0,
    compacts: false,
    countsTokens: true,
    charsPerToken: { prose: charsPerToken, code: charsPerToken, result: charsPerToken },
  };
  return {
    label: "offline",
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
    throw new ModelError(
      "too-long",
      `The prompt is too long: ${input} tokens, and the offline model's window holds ${windowTokens}.`,
      {
        status: 400,
        sizes: { tokens: input, limit: windowTokens },
      },
    );
  }
  const blocks: AssistantBlock[] =
    request.purpose === "summary"
      ? [{ type: "text", text: writeSummary(request) }]
      : planAnswer(request);
  let output = 0;
  for (const [index, block] of blocks.entries()) {
    if (block.type === "text") {
      for (const text of block.text.match(/\s*\S+\s*/g) ?? []) {
        if (signal.aborted) throw new ModelError("aborted", "The call was stopped.");
        yield { type: "delta", index, kind: "text", text };
        await breathe();
      }
      output += tokensIn(block.text);
    } else output += tokensIn(JSON.stringify(block));
    yield { type: "block", index, block };
  }
  const stop = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  yield { type: "stop", stop, usage: { input, cacheRead: 0, cacheWrite: 0, output } };
}

/** Lets the screen draw and a key be heard between two words. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
