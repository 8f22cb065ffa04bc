/**
 * Any server that speaks OpenAI's chat completions: Ollama, LM Studio, llama.cpp, vLLM and others.
 * Such servers bill no cache and count no tokens.
 */

import type { ModelEvent, ModelRequest } from "../protocol/model.ts";
import { parseAddress } from "./address.ts";
import { returnsReasoning } from "./catalog.ts";
import type { ClientOptions, ModelClient } from "./client.ts";
import { systemClock } from "../protocol/clock.ts";
import { listModels } from "./model-list.ts";
import { interrupted, malformed, type CallContext } from "./failures.ts";
import { discoverWindow } from "./discover-window.ts";
import { applyOverrides, cacheRules, localRules } from "./found-rules.ts";
import { isTooDeep } from "./nesting.ts";
import { chatParamsOf } from "./openai-request.ts";
import { loadOpenAi, toModelError } from "./openai-sdk.ts";
import { ChatReader, chatChunk } from "./openai-stream.ts";
import { safeFetch } from "./safe-fetch.ts";
import { withWatchdog, type Watchdog } from "./watchdog.ts";

export type OpenAiAccess = {
  /** With or without `/v1` at its end. */
  baseUrl: string;
  /** Local servers rarely require one. */
  apiKey?: string;
};

/**
 * The default of `stallMs`: a server may first have to load the model and read the whole prompt, and
 * is silent meanwhile.
 */
const usualStallMs = 600_000;

export function createOpenAiClient(options: OpenAiAccess & ClientOptions): ModelClient {
  const { stallMs = usualStallMs, clock = systemClock, fetch = globalThis.fetch } = options;
  const address = parseAddress(options.baseUrl.replace(/\/*$/, "").replace(/(?<!\/v\d+)$/, "/v1"));
  const host = address.shown;
  const secret = options.apiKey || null;
  const isOpenAi = /(^|\.)openai\.com$/.test(address.hostname);
  const contextOf = (model: string): CallContext => {
    return { model, host, secret, keyName: "OPENAI_API_KEY", nowMs: clock.now() };
  };
  const headers: Record<string, string> =
    secret === null ? {} : { authorization: `Bearer ${secret}` };
  const server = { baseUrl: address.url, headers, fetch: safeFetch(fetch) };
  const rules = cacheRules(async (model) => {
    const found = localRules(model, await discoverWindow(server, model));
    return { ...found, rules: applyOverrides(found, options.overrides) };
  });

  async function* answer(
    request: ModelRequest,
    watchdog: Watchdog,
  ): AsyncGenerator<ModelEvent, void> {
    const context = contextOf(request.model);
    // The SDK insists on a key; servers that require none ignore it.
    const sdk = await loadOpenAi({
      apiKey: secret ?? "none",
      baseURL: address.url,
      fetch: safeFetch(fetch, watchdog.alive),
    });
    const chunks = await sdk.chat.completions.create(chatParamsOf(request, isOpenAi), {
      signal: watchdog.signal,
    });
    const reader = new ChatReader(callIdsOf(request), returnsReasoning(request.model));
    for await (const raw of chunks) {
      watchdog.progressed();
      const chunk = chatChunk.safeParse(raw);
      if (!chunk.success || isTooDeep(raw))
        throw malformed("sent a chunk that is not part of the chat completions API", context);
      yield* reader.read(chunk.data);
    }
    watchdog.signal.throwIfAborted();
    if (!reader.complete) throw interrupted("connection lost", context);
    yield* reader.end();
  }

  return {
    label: `openai ${host}`,

    models: () => listModels(`${address.url}/models`, headers, server.fetch),

    rules,

    stream: (request, signal) =>
      withWatchdog({
        answer: (watchdog) => answer(request, watchdog),
        signal,
        stallMs,
        clock,
        context: contextOf(request.model),
        toModelError,
      }),
  };
}

const callIdsOf = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
  );
