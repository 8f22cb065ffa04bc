/** The offline model with the interface of every model client. */

import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelEvent, ModelRequest, ModelRules } from "../../protocol/model.ts";
import type { ModelClient } from "../../model/client.ts";
import { modelError } from "./model-error.ts";
import { charsPerToken, tokensOfRequest } from "./tokenizer.ts";

export function createOfflineClient({ windowTokens }: { windowTokens: number }): ModelClient {
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
  const { streamBlocks } = await import("./stream.ts");
  const blocks = await blocksFor(request);
  const output = yield* streamBlocks(blocks, signal);
  const stop = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  yield { type: "stop", stop, usage: { input, cacheRead: 0, cacheWrite: 0, output } };
}

/** Loaded with the first question, so that the screen is shown without it. */
async function blocksFor(request: ModelRequest): Promise<AssistantBlock[]> {
  if (request.purpose !== "summary") return (await import("./planner.ts")).planAnswer(request);
  const { writeSummary } = await import("./summary.ts");
  return [{ type: "text", text: writeSummary(request) }];
}
