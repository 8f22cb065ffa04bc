/**
 * The rules of a model as its server reports them, and the settings that override them. Every kind of
 * local server reports its window in a different place, so all are asked at once.
 */

import type { ModelRules } from "../protocol/model.ts";
import { plainServer, returnsReasoning } from "./catalog.ts";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { once } from "../base/once.ts";
import { askServer, type Fetch, type ModelServer } from "./network.ts";

/** Options for the client of any server. */
export type ClientOptions = {
  /** The user's own rules for a model, over those of the server and the catalog. */
  overrides?: (model: string) => RuleOverrides;
  /** Milliseconds without a byte after which a stream is ended. */
  stallMs?: number;
  clock?: Clock;
  fetch?: Fetch | undefined;
};

export type FoundRules = {
  rules: ModelRules;
  /** False if a later query may find more, such as once the server is running. */
  certain: boolean;
  /** The window that the server says it has, in tokens. */
  reportedWindow?: number;
};

/** Asks once per model, and again while the answer is uncertain; settings override it. */
export function cacheRules(
  find: (model: string) => Promise<FoundRules>,
  overrides: (model: string) => RuleOverrides = () => ({}),
): (model: string) => Promise<ModelRules> {
  const cached = new Map<string, Promise<ModelRules>>();
  return (model) => {
    const known = cached.get(model);
    if (known !== undefined) return known;
    const asked = find(model).then((found) => {
      if (!found.certain) cached.delete(model);
      return applyOverrides(found, overrides(model));
    });
    cached.set(model, asked);
    return asked;
  };
}

/**
 * Rules for a model that a server runs itself, or that the catalog does not know: the window that the
 * server reports, else the one that local servers usually have; free as far as we can tell, without
 * a billed cache and without betas.
 */
export function localRules(model: string, window: Window | null): FoundRules {
  const windowTokens = window?.tokens ?? 32_768;
  const certain = window?.certain ?? false;
  const rules: ModelRules = {
    model,
    windowTokens,
    // At most a quarter of a small window is for the answer; the rest is left for the question.
    outputTokens: Math.min(8_192, Math.ceil(windowTokens / 4)),
    outputCeiling: Math.floor(windowTokens / 2),
    prices: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
    thinking: returnsReasoning(model) ? "free" : "none",
    ...plainServer,
  };
  return { rules, certain, ...(certain && { reportedWindow: windowTokens }) };
}

/** Settings that override a server's rules and the catalog. */
export type RuleOverrides = Partial<Omit<ModelRules, "model">>;

/** A window larger than the reported one is ignored: the server would refuse the prompt. */
function applyOverrides(
  { rules, reportedWindow = Number.POSITIVE_INFINITY }: FoundRules,
  overrides: RuleOverrides = {},
): ModelRules {
  const { outputCeiling, ...known } = rules;
  // A length that the user chose is no guess.
  const isGuess = outputCeiling !== undefined && overrides.outputTokens === undefined;
  const merged = { ...known, ...(isGuess && { outputCeiling }), ...overrides };
  const windowTokens = Math.min(merged.windowTokens, reportedWindow);
  // The answer is part of the window.
  return { ...merged, windowTokens, outputTokens: Math.min(merged.outputTokens, windowTokens) };
}

const patienceMs = 2_000;
const size = z.number().int().positive();
const limit = size.nullish().catch(null);

/** `certain` is false when the answer may change once the model is loaded. */
export type Window = { tokens: number; certain: boolean };

/** Null when the server does not report it. Never throws. */
export async function discoverWindow(server: ModelServer, model: string): Promise<Window | null> {
  const answers = await Promise.all([
    lmStudio(server, model),
    llamaCpp(server),
    ollama(server, model),
    listed(server, model),
  ]);
  return answers.find((answer) => answer !== null) ?? null;
}

/** A list of models, in which each kind of server has its own name for the window. */
const modelList = once(() =>
  z.looseObject({
    data: z.array(
      z.looseObject({
        id: z.string().catch(""),
        /** LM Studio. */
        loaded_context_length: limit,
        max_context_length: limit,
        /** vLLM; OpenRouter and Together; Groq. */
        max_model_len: limit,
        context_length: limit,
        context_window: limit,
      }),
    ),
  }),
);

async function lmStudio(server: ModelServer, model: string): Promise<Window | null> {
  const list = await ask(server, "/api/v0/models", modelList());
  const entry = list?.data.find(({ id }) => id === model);
  const loaded = entry?.loaded_context_length;
  const tokens = loaded ?? entry?.max_context_length;
  return tokens == null ? null : { tokens, certain: loaded != null };
}

/** The window of one slot, which is what one conversation gets. */
async function llamaCpp(server: ModelServer): Promise<Window | null> {
  const schema = z.looseObject({ default_generation_settings: z.looseObject({ n_ctx: size }) });
  const props = await ask(server, "/props", schema);
  return props && { tokens: props.default_generation_settings.n_ctx, certain: true };
}

/**
 * Ollama silently truncates a prompt that is too long, so what counts is the window of the loaded
 * model, then the one that its Modelfile sets; the model's own maximum is only an upper bound.
 */
async function ollama(server: ModelServer, model: string): Promise<Window | null> {
  const running = z.looseObject({ name: z.string(), context_length: size.optional() });
  const about = z.looseObject({
    parameters: z.string().optional(),
    model_info: z.record(z.string(), z.unknown()).optional(),
  });
  const [loaded, shown] = await Promise.all([
    ask(server, "/api/ps", z.looseObject({ models: z.array(running) })),
    ask(server, "/api/show", about, { model }),
  ]);
  const names = [model, `${model}:latest`];
  const found = loaded?.models.find(({ name }) => names.includes(name));
  if (found?.context_length !== undefined) return { tokens: found.context_length, certain: true };
  if (shown === null) return null;
  const set = /^num_ctx\s+(\d+)$/m.exec(shown.parameters ?? "");
  if (set !== null) return { tokens: Number(set[1]), certain: true };
  const most = Object.entries(shown.model_info ?? {}).find(([key]) =>
    key.endsWith(".context_length"),
  );
  const tokens = size.safeParse(most?.[1]).data;
  return tokens === undefined
    ? null
    : { tokens: Math.min(tokens, ollamaUnloadedTokens), certain: false };
}

/** Assumed until the model is loaded: enough for an agent, and common. */
const ollamaUnloadedTokens = 32_768;

async function listed(server: ModelServer, model: string): Promise<Window | null> {
  const { baseUrl } = server;
  // A version elsewhere in the path, or another one.
  const hasVersion = /\/v\d+[^/]*(?:\/|$)/.test(baseUrl);
  const list = hasVersion
    ? await askServer(server, `${baseUrl}/models`, modelList(), patienceMs)
    : await ask(server, "/v1/models", modelList());
  const found = list?.data.find(({ id }) => id === model);
  const tokens = found?.max_model_len ?? found?.context_length ?? found?.context_window;
  return tokens == null ? null : { tokens, certain: true };
}

function ask<T>(
  server: ModelServer,
  path: string,
  schema: z.ZodType<T>,
  body?: unknown,
): Promise<T | null> {
  const root = server.baseUrl.replace(/\/v1$/, "");
  return askServer(server, root + path, schema, patienceMs, body);
}

const modelInfo = z.looseObject({
  max_input_tokens: limit,
  max_tokens: limit,
  capabilities: z
    .looseObject({
      thinking: z.looseObject({ supported: z.boolean() }).nullish(),
      context_management: z.looseObject({ supported: z.boolean() }).nullish(),
    })
    .nullish()
    .catch(null),
});

/** The first frame waits no longer than this: the catalog is nearly always right. */
const timeoutMs = 2_000;

/**
 * A server's corrections of the rules that are known so far. `takesBetas`: it says that it manages
 * context, as the betas for that require.
 */
type Corrections = Omit<FoundRules, "rules"> & {
  changes: Partial<ModelRules>;
  takesBetas: boolean;
};

/**
 * Never throws: a server that has no Models API or does not answer soon changes nothing; `certain`
 * is false when asking again may help. Works without the SDK: the first frame waits for this, and
 * loading the SDK takes longer.
 */
export async function askModelsApi(
  { baseUrl, headers, fetch }: ModelServer,
  model: string,
): Promise<Corrections> {
  const nothing = { changes: {}, takesBetas: false };
  try {
    const response = await fetch(`${baseUrl}/v1/models/${encodeURIComponent(model)}`, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) return { ...nothing, certain: response.status === 404 };
    const info = modelInfo.safeParse(await response.json());
    if (!info.success) return { ...nothing, certain: true };
    const { max_input_tokens, max_tokens, capabilities } = info.data;
    return {
      changes: {
        ...(max_input_tokens != null && { windowTokens: max_input_tokens }),
        ...(max_tokens != null && { outputTokens: max_tokens }),
        ...(capabilities?.thinking?.supported === false && { thinking: "none" }),
      },
      certain: true,
      ...(max_input_tokens != null && { reportedWindow: max_input_tokens }),
      takesBetas: capabilities?.context_management?.supported === true,
    };
  } catch (error) {
    return { ...nothing, certain: error instanceof SyntaxError };
  }
}
