/**
 * Facts about models before any server is asked. Sizes in tokens, prices in US dollars per
 * million tokens, as published in November 2026; what the server reports and the settings override
 * it.
 */

import {
  efforts,
  type CharsPerToken,
  type Effort,
  type ModelRules,
  type Prices,
} from "../protocol/model.ts";

export const defaultModel = "claude-sonnet-5-5";

/** Claude Code's short names. */
const shortNames = new Map([
  ["default", defaultModel],
  ["sonnet", "claude-sonnet-5-5"],
  ["opus", "claude-opus-5-5"],
  ["haiku", "claude-haiku-5-5"],
  ["fable", "claude-fable-5-2"],
]);

/** Resolves a short name to a Claude model id; returns other names unchanged. */
export const modelNamed = (name: string): string => shortNames.get(name.toLowerCase()) ?? name;

/** Request parameters that control a model's thinking. */
export type ThinkingWire = {
  on: "adaptive" | "budget" | "none";
  /** "omit": leaving the field out means off, or thinking cannot be turned off. */
  off: "omit" | "disabled" | "between_tools";
  /**
   * The levels of effort that it supports; empty: it thinks within a budget, or as much as it
   * wants.
   */
  efforts: readonly Effort[];
  /** Betas that these fields need. */
  betas?: readonly string[];
};

type CatalogEntry = Omit<ModelRules, "model"> & {
  wire: ThinkingWire;
};

const MILLION = 1_000_000;

/** From Claude 4.7 on, the same text makes about 30 % more tokens. */
const newTokenizer: CharsPerToken = { prose: 3.3, code: 2.5, result: 2.3 };
const oldTokenizer: CharsPerToken = { prose: 4.2, code: 3.3, result: 3.1 };

/** Cache prices follow from the input price unless the model has its own. */
function prices(input: number, output: number, cacheRead = round(input * 0.1)): Prices {
  return {
    input,
    output,
    cacheRead,
    cacheWrite5m: round(input * 1.25),
    cacheWrite1h: round(input * 2),
  };
}

const round = (usd: number): number => Math.round(usd * 10_000) / 10_000;

function claude(
  prices: Prices,
  more: Partial<CatalogEntry> & Pick<CatalogEntry, "cacheMinimumTokens">,
): CatalogEntry {
  return {
    windowTokens: MILLION,
    outputTokens: 128_000,
    prices,
    thinking: "free",
    caches: true,
    compacts: false,
    countsTokens: true,
    charsPerToken: newTokenizer,
    wire: { on: "adaptive", off: "disabled", efforts },
    ...more,
  };
}

/** Current models: thinking is bound to its prefix, and the server compacts on demand. */
const current = {
  thinking: "bound",
  compacts: true,
  wire: { on: "adaptive", off: "omit", efforts },
} as const;

/** Lets models with a thinking budget also think between tool calls. */
const interleavedBeta = "interleaved-thinking-2025-05-14";
const effortBeta = "effort-2025-11-24";

export const noThinking: ThinkingWire = { on: "none", off: "omit", efforts: [] };

/** Models with a thinking budget and the older tokenizer. */
const budgeted = {
  windowTokens: 200_000,
  outputTokens: 64_000,
  charsPerToken: oldTokenizer,
  wire: { on: "budget", off: "omit", efforts: [], betas: [interleavedBeta] },
} as const;

const fable = claude(prices(10, 50), { ...current, cacheMinimumTokens: 512 });
const opus = claude(prices(4, 20, 0.2), { ...current, cacheMinimumTokens: 512 });
const sonnet = claude(prices(2, 10), {
  ...current,
  cacheMinimumTokens: 1_024,
  wire: { on: "adaptive", off: "between_tools", efforts },
});
const haiku = claude(
  { ...prices(0.1, 0.5), beyond: { promptTokens: 100_000, ...prices(0.5, 2.5) } },
  { ...current, cacheMinimumTokens: 1_024 },
);
const fable5 = claude(prices(10, 50), { cacheMinimumTokens: 512, wire: current.wire });
const opus46 = {
  cacheMinimumTokens: 4_096,
  charsPerToken: oldTokenizer,
  wire: { on: "adaptive", off: "omit", efforts: ["low", "medium", "high", "max"] },
} as const;
const opus4 = claude(prices(15, 75), {
  ...budgeted,
  outputTokens: 32_000,
  cacheMinimumTokens: 1_024,
});

/** Models by id. A dated snapshot matches by prefix. */
const known: Record<string, CatalogEntry> = {
  "claude-fable-5-2": fable,
  "claude-fable-5-1": fable,
  "claude-mythos-5-2": fable,
  "claude-mythos-5-1": fable,
  "claude-opus-5-5": opus,
  "claude-sonnet-5-5": sonnet,
  "claude-haiku-5-5": haiku,
  "claude-fable-5": fable5,
  "claude-mythos-5": fable5,
  "claude-opus-5": claude(prices(5, 25), { cacheMinimumTokens: 512 }),
  "claude-sonnet-5": claude(prices(2, 10), { cacheMinimumTokens: 1_024 }),
  "claude-opus-4-8": claude(prices(5, 25), { cacheMinimumTokens: 1_024, wire: current.wire }),
  "claude-opus-4-7": claude(prices(5, 25), { cacheMinimumTokens: 2_048, wire: current.wire }),
  "claude-opus-4-6": claude(prices(5, 25), opus46),
  "claude-sonnet-4-6": claude(prices(3, 15), {
    ...opus46,
    cacheMinimumTokens: 1_024,
    outputTokens: 64_000,
  }),
  "claude-opus-4-5": claude(prices(5, 25), {
    ...budgeted,
    cacheMinimumTokens: 4_096,
    wire: {
      ...budgeted.wire,
      efforts: ["low", "medium", "high"],
      betas: [interleavedBeta, effortBeta],
    },
  }),
  "claude-sonnet-4-5": claude(prices(3, 15), { ...budgeted, cacheMinimumTokens: 1_024 }),
  "claude-haiku-4-5": claude(prices(1, 5), { ...budgeted, cacheMinimumTokens: 4_096 }),
  "claude-opus-4-1": opus4,
  "claude-opus-4": opus4,
  "claude-sonnet-4": claude(prices(3, 15), { ...budgeted, cacheMinimumTokens: 1_024 }),
};

/** An unlisted model is treated as the newest of its line. */
const lines: [RegExp, CatalogEntry][] = [
  [/opus/, opus],
  [/haiku/, haiku],
  [/fable|mythos/, fable],
];

/** A snapshot or a tagged name ends where the id does: "claude-opus-4" is not "claude-opus-4-9". */
const isSnapshot = (model: string, id: string): boolean =>
  model === id || (model.startsWith(id) && /^(-\d{8}|-latest|[@:[])/.test(model.slice(id.length)));

/** Current Claude and GPT models write programs that call tools well. */
export const writesScripts = (model: string): boolean =>
  /^claude-[a-z]+-[5-9]|^gpt-(?:[5-9]|\d\d)/.test(stripPrefix(model));

const stripPrefix = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z-]+\.)?anthropic\./, "");

/** A Claude model's name on another cloud; one that is already such a name stays. */
export const cloudName = (cloud: "bedrock" | "vertex", model: string): string =>
  cloud === "bedrock" && model.startsWith("claude-") ? `global.anthropic.${model}` : model;

/** Whether the name is a Claude model's, so that the catalog applies on any server. */
export const isCataloged = (model: string): boolean => stripPrefix(model).startsWith("claude-");

/** Null: a model on the user's own machine, or one whose prices are known only to its server. */
export const findPrices = (model: string): Prices | null =>
  isCataloged(model) ? lookUpRules(model).prices : (openAiRules(model)?.rules.prices ?? null);

function find(model: string): CatalogEntry {
  const name = stripPrefix(model);
  const exact = Object.entries(known).find(([id]) => isSnapshot(name, id));
  if (exact !== undefined) return exact[1];
  return lines.find(([line]) => line.test(name))?.[1] ?? sonnet;
}

/** The rules of a Claude model; one that is not listed is treated as the newest of its line. */
export function lookUpRules(model: string): ModelRules {
  const { wire: _wire, ...rules } = find(model);
  return { model, ...rules };
}

/** No thinking parameters are sent to models outside the catalog. */
export const lookUpWire = (model: string): ThinkingWire =>
  isCataloged(model) ? find(model).wire : noThinking;

/** The models in the catalog, newest first. */
export const knownModels: readonly string[] = Object.keys(known);

/**
 * Models that need their reasoning sent back while they call tools: DeepSeek from 3.2, Kimi, GLM
 * and MiniMax.
 */
export const returnsReasoning = (model: string): boolean =>
  /deepseek|kimi|moonshot|\bglm|minimax/i.test(model);

const newestOpenAi = uncached(5, 30, 0.5);

/**
 * OpenAI's own models: prices of input, output and cached input as listed in June 2026. The first
 * matching line applies. An unlisted model has the prices of the newest one, so that it does not look free.
 */
const openAiLines: [name: RegExp, prices: Prices][] = [
  [/^gpt-5\.5(?!-pro)/, newestOpenAi],
  [/^gpt-5\.[45]-pro/, uncached(30, 180, 30)],
  [/^gpt-5\.4-nano/, uncached(0.2, 1.25, 0.02)],
  [/^gpt-5\.4-mini/, uncached(0.75, 4.5, 0.075)],
  [/^gpt-5\.4/, uncached(2.5, 15, 0.25)],
  [/^gpt-5\.[23](?!-pro)/, uncached(1.75, 14, 0.175)],
  [/^gpt-5(\.1)?(-codex)?-mini/, uncached(0.25, 2, 0.025)],
  [/^gpt-5-nano/, uncached(0.05, 0.4, 0.005)],
  [/^gpt-5(\.1)?(-codex|-\d|$)/, uncached(1.25, 10, 0.125)],
  [/^o3(-\d|$)/, uncached(2, 8, 0.5)],
  [/^o[34]-mini/, uncached(1.1, 4.4, 0.275)],
];

/** The whole prompt is written to OpenAI's cache at no extra price. */
function uncached(input: number, output: number, cacheRead: number): Prices {
  const areEstimates = true;
  return { input, output, cacheRead, cacheWrite5m: input, cacheWrite1h: input, areEstimates };
}

/** A server without a billed cache, server-side summaries or token counting. */
export const plainServer = {
  caches: false,
  cacheMinimumTokens: 0,
  compacts: false,
  countsTokens: false,
  charsPerToken: oldTokenizer,
} as const;

/** The rules of a model at OpenAI's own address; null: unknown, so its server is asked. */
export function openAiRules(model: string): { rules: ModelRules; certain: boolean } | null {
  if (!/^(gpt-[5-9]|o[3-9])/.test(model)) return null;
  const known = openAiLines.find(([name]) => name.test(model));
  return {
    rules: {
      model,
      // Of 400,000 tokens, 128,000 are for the answer alone.
      windowTokens: model.startsWith("o") ? 200_000 : 272_000,
      outputTokens: model.startsWith("o") ? 100_000 : 128_000,
      prices: known?.[1] ?? newestOpenAi,
      thinking: "free",
      ...plainServer,
    },
    certain: true,
  };
}

/** Tokens of thinking for a model that has no levels of effort. */
export const thinkingBudgets: Record<Effort, number> = {
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 64_000,
};

/** The highest level whose budget is at most `tokens`; the lowest one when all are larger. */
export const effortWithin = (tokens: number): Effort =>
  efforts.findLast((effort) => thinkingBudgets[effort] <= tokens) ?? "low";
