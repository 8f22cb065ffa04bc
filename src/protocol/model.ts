/** Facts about models, and what agent and model exchange. */

import { z } from "zod";
import type { AssistantBlock, Block, TextBlock, ToolDefinition } from "./block.ts";

export type { ToolDefinition } from "./block.ts";

/**
 * Tokens of one call. `input` is only the uncached rest: what was in the window is
 * input + cacheRead + cacheWrite (+ output).
 */
export const usageSchema = z.object({
  input: z.number(),
  cacheRead: z.number(),
  /** Tokens written to the cache, for any lifetime. */
  cacheWrite: z.number(),
  /** The part of `cacheWrite` that was written for an hour, at twice the input price. */
  cacheWrite1h: z.number().exactOptional(),
  output: z.number(),
  /** Searches of the web by the server. */
  webSearches: z.number().exactOptional(),
});
export type Usage = z.infer<typeof usageSchema>;

const usd = z.number().nonnegative();
const priceList = z.object({
  input: usd,
  output: usd,
  cacheRead: usd,
  cacheWrite5m: usd,
  cacheWrite1h: usd,
});

/** US dollars for a million tokens. */
export const pricesSchema = priceList.extend({
  /** Prices of a call whose whole prompt is longer than `promptTokens`. */
  beyond: priceList.extend({ promptTokens: z.number() }).exactOptional(),
  /** Not reported by the provider. */
  areEstimates: z.literal(true).exactOptional(),
});
export type Prices = z.infer<typeof pricesSchema>;

export type CacheTtl = "5m" | "1h";

export const ttlMs: Record<CacheTtl, number> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

/** The address of Anthropic's own server. */
export const anthropicUrl = "https://api.anthropic.com";

/** Levels of the effort that a model puts into an answer, as the Messages API names them. */
export const efforts = ["low", "medium", "high", "xhigh", "max"] as const;

export type Effort = (typeof efforts)[number];

/** The rules of one model: sizes in tokens, demands of the API, prices. */
export type ModelRules = {
  model: string;
  windowTokens: number;
  outputTokens: number;
  /** `outputTokens` is a guess, and an answer that it cut off may be as long as this. */
  outputCeiling?: number;
  prices: Prices;
  /** "bound": signed thinking is valid only after the exact prefix it was made with. */
  thinking: "none" | "free" | "bound";
  /** The user's choice for this session; absent: the model's own default. */
  effort?: Effort;
  /** The server caches marked prefixes and bills them accordingly. */
  caches: boolean;
  /** The shortest prefix that the cache keeps. */
  cacheMinimumTokens: number;
  /** The server cannot be asked to drop stale thinking: it refuses a request that holds any. */
  refusesStaleThinking?: true;
  /** The server offers its own on-demand compaction. */
  compacts: boolean;
  countsTokens: boolean;
  /** False: it is no language model, so a summary is extracted from the log instead. */
  summarizes?: false;
  /** The model that writes summaries; absent: this one. */
  summarizer?: ModelRules;
  /** Initial values; the session's own usage corrects them. */
  charsPerToken: CharsPerToken;
};

/** Characters per token, by kind of content. */
export type CharsPerToken = { prose: number; code: number; result: number };

/** Calls of a model that are not calls of the session's own. */
export const spentSchema = z.object({
  model: z.string(),
  usage: usageSchema,
  /** US dollars, at the prices of that model. */
  usd: z.number().nonnegative(),
  /** The prices are estimates. */
  isEstimate: z.literal(true).exactOptional(),
});
export type Spent = z.infer<typeof spentSchema>;

export const spentOn = (
  usage: Usage,
  { model, prices }: Pick<ModelRules, "model" | "prices">,
): Spent => ({
  model,
  usage,
  usd: callCost(usage, prices),
  ...(prices.areEstimates && { isEstimate: true }),
});

/** Why a model says that it stopped. */
export const modelStops = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
  "compaction",
] as const;

/**
 * Why an answer ended. Our additions: "interrupted" and "failed" for a partial answer, and "unknown" for
 * an unrecognized reason.
 */
export const stops = [...modelStops, "unknown", "interrupted", "failed"] as const;

export type Stop = (typeof stops)[number];

export type CacheMark = { type: "ephemeral"; ttl?: CacheTtl };

/** A block in a request; at most four of a request's blocks carry a mark. */
export type Marked<B> = B & { cache_control?: CacheMark };

export type Message = { role: "user" | "assistant"; content: Marked<Block>[] };

/** A request as every model client understands it. Built only by `context/request`. */
export type ModelRequest = {
  model: string;
  system: Marked<TextBlock>[];
  tools: Marked<ToolDefinition>[];
  /**
   * Definitions that results in `messages` load, in order: they come after `tools`, and the model
   * sees each one where it was loaded.
   */
  loadedTools?: ToolDefinition[];
  messages: Message[];
  maxTokens: number;
  thinking: "off" | "adaptive";
  /** Absent: the model's own default. */
  effort?: Effort;
  /** The request contains stale thinking: the server should drop it instead of refusing. */
  dropStaleThinking: boolean;
  /** "summary": the model is asked to summarize the conversation, not to continue it. */
  purpose: "turn" | "summary";
  /** Ask for the server's own compaction of `messages`; `instructions` replace its prompt. */
  compaction?: { instructions?: string };
};

/** A piece of a block that is growing. `call`: the tool call whose input it is, where it is known. */
export type Delta = {
  type: "delta";
  index: number;
  kind: "text" | "thinking" | "input";
  text: string;
  call?: { id: string; name: string };
};

/**
 * A stream: deltas while a block grows, each block once it is complete, one `stop` at the end.
 * `usage` is what the call has cost so far, in case the answer is interrupted.
 */
export type ModelEvent =
  | { type: "usage"; usage: Usage }
  | Delta
  | { type: "block"; index: number; block: AssistantBlock }
  | { type: "stop"; stop: Stop; usage: Usage; detail?: string; droppedThinking?: number };

export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** The sum of both. */
export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheWrite1h: (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0),
  output: a.output + b.output,
  ...(a.webSearches || b.webSearches
    ? { webSearches: (a.webSearches ?? 0) + (b.webSearches ?? 0) }
    : {}),
});

/** Tokens of the prompt, from the cache or not. */
export const sentBy = ({ input, cacheRead, cacheWrite }: Usage): number =>
  input + cacheRead + cacheWrite;

/** Tokens that a call put into the window, including its answer. */
export const usedBy = (usage: Usage): number => sentBy(usage) + usage.output;

/** The prices of a call: a long prompt may have its own. */
export const choosePrices = (usage: Usage, list: Prices): z.infer<typeof priceList> =>
  list.beyond !== undefined && sentBy(usage) > list.beyond.promptTokens ? list.beyond : list;

/** US dollars for a search of the web by the server: $10 per 1,000, says the API's documentation. */
const webSearchUsd = 0.01;

/** The price of a call, in US dollars. */
export function callCost(usage: Usage, list: Prices): number {
  const prices = choosePrices(usage, list);
  const written1h = usage.cacheWrite1h ?? 0;
  const micro =
    usage.input * prices.input +
    usage.cacheRead * prices.cacheRead +
    (usage.cacheWrite - written1h) * prices.cacheWrite5m +
    written1h * prices.cacheWrite1h +
    usage.output * prices.output;
  return micro / 1_000_000 + (usage.webSearches ?? 0) * webSearchUsd;
}
