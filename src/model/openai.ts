/**
 * Models behind OpenAI's chat completions: Ollama, LM Studio, llama.cpp, vLLM and their like. They
 * have no thinking to keep, no billed cache and no counting of tokens.
 */

import type { ModelEvent, ModelRequest, ModelRules } from "../protocol/model.ts";
import { parseAddress } from "./address.ts";
import { localRulesOf } from "./catalog.ts";
import type { ModelClient } from "./client.ts";
import { systemClock, type Clock } from "./clock.ts";
import { listModels } from "./model-list.ts";
import { broken, type CallContext } from "./failures.ts";
import { observeBytes, type Fetch } from "./observe-bytes.ts";
import { chatParamsOf } from "./openai-request.ts";
import { loadOpenAi, toModelError } from "./openai-sdk.ts";
import { ChatReader, chatChunk } from "./openai-stream.ts";
import { discoverWindow } from "./discover-window.ts";
import { applyOverrides, type RuleOverrides } from "./overrides.ts";
import { withWatchdog } from "./with-watchdog.ts";
import type { Watchdog } from "./watchdog.ts";

export type OpenAiOptions = {
  /** With or without the `/v1` at its end. */
  baseUrl: string;
  /** Servers on one's own machine mostly want none. */
  apiKey?: string;
  overrides?: RuleOverrides;
  /**
   * A stream without a byte for so long is given up; default ten minutes, since a server may first
   * have to load the model and then to read the whole prompt, and says nothing meanwhile.
   */
  stallMs?: number;
  clock?: Clock;
  fetch?: Fetch;
};

const listPatienceMs = 3_000;

export function createOpenAiClient(options: OpenAiOptions): ModelClient {
  const { stallMs = 600_000, clock = systemClock, fetch = globalThis.fetch } = options;
  const address = parseAddress(options.baseUrl.replace(/\/*$/, "").replace(/(?<!\/v\d+)$/, "/v1"));
  const host = address.shown;
  const secret = options.apiKey || null;
  const isOpenAi = /(^|\.)openai\.com$/.test(address.hostname);
  const whereOf = (model: string): CallContext => {
    return { model, host, secret, keyName: "OPENAI_API_KEY", nowMs: clock.now() };
  };
  const authorised: Record<string, string> =
    secret === null ? {} : { authorization: `Bearer ${secret}` };
  const rulesByModel = new Map<string, Promise<ModelRules>>();

  async function* answer(request: ModelRequest, dog: Watchdog): AsyncGenerator<ModelEvent, void> {
    const where = whereOf(request.model);
    const observed = observeBytes(fetch, dog.alive);
    // The SDK insists on a key; servers that want none ignore it.
    const sdk = await loadOpenAi({
      apiKey: secret ?? "none",
      baseURL: address.url,
      fetch: observed,
    });
    const chunks = await sdk.chat.completions.create(chatParamsOf(request, isOpenAi), {
      signal: dog.signal,
    });
    const reader = new ChatReader(callIdsOf(request));
    for await (const raw of chunks) {
      dog.progressed();
      const chunk = chatChunk.safeParse(raw);
      if (!chunk.success) throw broken("sent a chunk that is not of chat completions", where);
      yield* reader.read(chunk.data);
    }
    dog.signal.throwIfAborted();
    if (!reader.complete) throw broken("ended its answer in the middle (connection lost)", where);
    yield* reader.end();
  }

  return {
    label: `openai ${host}`,

    models: () =>
      listModels(`${address.url}/models`, authorised, { fetch, patienceMs: listPatienceMs }),

    rules(model) {
      const asked = rulesByModel.get(model);
      if (asked !== undefined) return asked;
      const ask = async () => {
        const window = await discoverWindow(
          { baseUrl: address.url, headers: authorised, fetch },
          model,
        );
        // A server that did not tell may do so once the model is loaded.
        if (window?.certain !== true) rulesByModel.delete(model);
        const told = window === null ? {} : sizedRules(window.tokens);
        return applyOverrides({ ...localRulesOf(model), ...told }, options.overrides);
      };
      const rules = ask();
      rulesByModel.set(model, rules);
      return rules;
    },

    stream: (request, signal) =>
      withWatchdog({
        answer: (dog) => answer(request, dog),
        signal,
        stallMs,
        clock,
        where: whereOf(request.model),
        toModelError,
      }),
  };
}

/** An answer may take a quarter of a small window, so that the rest is left for the question. */
const sizedRules = (windowTokens: number) => ({
  windowTokens,
  outputTokens: Math.min(localRulesOf("").outputTokens, Math.ceil(windowTokens / 4)),
});

const callIdsOf = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
  );
