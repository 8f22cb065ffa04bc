/** A model's rules for tests: the prices of a Sonnet, no thinking, no server tools. */

import type { ModelRules } from "../src/protocol/model.ts";

export const plainRules: ModelRules = {
  model: "scripted",
  windowTokens: 200_000,
  outputTokens: 8_000,
  prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  thinking: "none",
  caches: false,
  cacheMinimumTokens: 0,
  compacts: false,
  countsTokens: false,
  charsPerToken: { prose: 4, code: 3.5, result: 2.5 },
};
