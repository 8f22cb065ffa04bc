/** Ids and counts in the names of the API and of Claude Code's clients. */

import type { Entry } from "../../protocol/entry.ts";
import type { Usage } from "../../protocol/model.ts";
import type { ModelTotals } from "./run-stats.ts";

export function usageOnWire(usage: Usage) {
  const { input, cacheRead, cacheWrite, cacheWrite1h = 0, output, webSearches = 0 } = usage;
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: {
      ephemeral_1h_input_tokens: cacheWrite1h,
      ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h,
    },
  };
}

export const answerOnWire = (
  id: string,
  model: string,
  content: readonly object[],
  usage: Usage,
) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: usageOnWire(usage),
});

export function modelUsageOnWire(models: ReadonlyMap<string, ModelTotals>) {
  return Object.fromEntries(
    models.entries().map(([model, { usage, costUsd, rules }]) => [
      model,
      {
        inputTokens: usage.input,
        outputTokens: usage.output,
        cacheReadInputTokens: usage.cacheRead,
        cacheCreationInputTokens: usage.cacheWrite,
        webSearchRequests: usage.webSearches ?? 0,
        costUSD: costUsd,
        contextWindow: rules.windowTokens,
        maxOutputTokens: rules.outputTokens,
      },
    ]),
  );
}

/** The entry that was printed, or sent by the client, under this UUID. */
export const entryNamed = (uuid: string, path: readonly Entry[]): Entry | undefined =>
  path.find((entry) => {
    if (entry.type === "user" && entry.uuid === uuid) return true;
    const blocks = entry.type === "assistant" ? entry.content.length : 1;
    return Array.from({ length: blocks }, (_, index) => uuidOf(entry, index)).includes(uuid);
  });

/**
 * The UUID of an entry, or of one block of it: the same whenever it is printed, and in a fork of the
 * session.
 */
export function uuidOf({ id, at }: Pick<Entry, "id" | "at">, block = 0): string {
  const hash = Bun.CryptoHasher.hash("sha256", `${id} ${at} ${block}`, "hex");
  const variant = "89ab"[Number.parseInt(hash.charAt(16), 16) % 4];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}
