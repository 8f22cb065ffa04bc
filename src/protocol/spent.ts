/** What calls of a model used and cost, as the log holds it. */

import { z } from "zod";
import type { Prices, Usage } from "./model.ts";

const tokens = z.number();
const usd = z.number().nonnegative();

export const usageSchema: z.ZodType<Usage> = z.object({
  input: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  cacheWrite1h: tokens.exactOptional(),
  output: tokens,
  webSearches: tokens.exactOptional(),
});

const priceList = {
  input: usd,
  output: usd,
  cacheRead: usd,
  cacheWrite5m: usd,
  cacheWrite1h: usd,
};

export const pricesSchema: z.ZodType<Prices> = z.object({
  ...priceList,
  beyond: z.object({ promptTokens: tokens, ...priceList }).exactOptional(),
});

/** Calls of a model that are not entries of this session. */
export const spentSchema = z.object({
  model: z.string(),
  usage: usageSchema,
  /** US dollars, at the prices of that model. */
  usd,
});
export type Spent = z.infer<typeof spentSchema>;

/** What a subagent did, in a session of its own. */
export const subagentSchema = spentSchema.extend({
  session: z.string(),
  /** The name of its definition. */
  type: z.string(),
  /** Tool calls. */
  calls: z.number(),
});
export type SubagentRun = z.infer<typeof subagentSchema>;
