/** Parts of messages in the names of the API and of Claude Code's clients. */

import type { Usage } from "../protocol/model.ts";
import type { ModelTotals } from "./run-stats.ts";

export function usageOnWire({ input, cacheRead, cacheWrite, cacheWrite1h = 0, output }: Usage) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: {
      ephemeral_1h_input_tokens: cacheWrite1h,
      ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h,
    },
  };
}

export function modelUsageOnWire(models: ReadonlyMap<string, ModelTotals>) {
  return Object.fromEntries(
    models.entries().map(([model, { usage, costUsd, rules }]) => [
      model,
      {
        inputTokens: usage.input,
        outputTokens: usage.output,
        cacheReadInputTokens: usage.cacheRead,
        cacheCreationInputTokens: usage.cacheWrite,
        webSearchRequests: 0,
        costUSD: costUsd,
        contextWindow: rules.windowTokens,
        maxOutputTokens: rules.outputTokens,
      },
    ]),
  );
}
