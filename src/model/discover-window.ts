/**
 * The context window of a local server, in tokens. Every kind of server reports it in a different
 * place, so all are asked at once, and the most reliable answer wins.
 */

import { z } from "zod";
import { askServer, type ModelServer } from "./ask-server.ts";

const patienceMs = 2_000;
const size = z.number().int().positive();

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

async function lmStudio(server: ModelServer, model: string): Promise<Window | null> {
  const list = await ask(server, "/api/v0/models", lmStudioModels);
  const entry = list?.data.find(({ id }) => id === model);
  const loaded = entry?.loaded_context_length;
  const tokens = loaded ?? entry?.max_context_length;
  return tokens === undefined ? null : { tokens, certain: loaded !== undefined };
}

const lmStudioModels = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      loaded_context_length: size.optional(),
      max_context_length: size.optional(),
    }),
  ),
});

/** The window of one slot, which is what one conversation gets. */
async function llamaCpp(server: ModelServer): Promise<Window | null> {
  const props = await ask(server, "/props", llamaCppProps);
  return props && { tokens: props.default_generation_settings.n_ctx, certain: true };
}

const llamaCppProps = z.looseObject({
  default_generation_settings: z.looseObject({ n_ctx: size }),
});

/**
 * Ollama silently truncates a prompt that is too long, so what counts is the window of the loaded
 * model, then the one that its Modelfile sets; the model's own maximum is only an upper bound.
 */
async function ollama(server: ModelServer, model: string): Promise<Window | null> {
  const [loaded, shown] = await Promise.all([
    ask(server, "/api/ps", ollamaLoaded),
    ask(server, "/api/show", ollamaShown, { model }),
  ]);
  const names = [model, `${model}:latest`];
  const running = loaded?.models.find(({ name }) => names.includes(name));
  if (running?.context_length !== undefined)
    return { tokens: running.context_length, certain: true };
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

const ollamaLoaded = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), context_length: size.optional() })),
});

const ollamaShown = z.looseObject({
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
});

/** vLLM, OpenRouter and Together, Groq: each has its own name for it. */
async function listed(server: ModelServer, model: string): Promise<Window | null> {
  const list = await ask(server, "/v1/models", listedModels);
  const found = list?.data.find(({ id }) => id === model);
  const tokens = found?.max_model_len ?? found?.context_length ?? found?.context_window;
  return tokens == null ? null : { tokens, certain: true };
}

const listedModels = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      max_model_len: size.nullish(),
      context_length: size.nullish().catch(null),
      context_window: size.nullish().catch(null),
    }),
  ),
});

function ask<T>(
  server: ModelServer,
  path: string,
  schema: z.ZodType<T>,
  body?: unknown,
): Promise<T | null> {
  const root = server.baseUrl.replace(/\/v1$/, "");
  return askServer(server, root + path, schema, patienceMs, body);
}
