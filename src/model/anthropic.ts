/**
 * Claude behind the Messages API, through Anthropic's SDK. It makes one call and tells what came;
 * it never retries, and it takes neither key nor address from the environment.
 */

import type { ModelEvent, ModelRequest, ModelRules } from "../protocol/model.ts";
import { parseAddress } from "./address.ts";
import { streamEvent } from "./anthropic-events.ts";
import { betasOf, paramsOf } from "./anthropic-request.ts";
import { loadSdk, toModelError } from "./anthropic-sdk.ts";
import { AnswerReader } from "./anthropic-stream.ts";
import { catalogued, rulesOf, thinkingWireOf } from "./catalog.ts";
import type { ModelClient } from "./client.ts";
import { systemClock, type Clock } from "./clock.ts";
import { ModelError } from "./model-error.ts";
import { broken, stopped, type CallContext } from "./failures.ts";
import { listModels } from "./model-list.ts";
import { askModelsApi } from "./models-api.ts";
import { observeBytes, type Fetch } from "./observe-bytes.ts";
import { applyOverrides, type RuleOverrides } from "./overrides.ts";
import { withWatchdog } from "./with-watchdog.ts";
import type { Watchdog } from "./watchdog.ts";

export type AnthropicOptions = {
  apiKey?: string;
  /** Of a gateway or a subscription, in place of a key. */
  authToken?: string;
  /** Default: Anthropic's own. */
  baseUrl?: string;
  /** Settings that overrule what the server and the catalogue say. */
  overrides?: RuleOverrides;
  /** A stream without a byte for so long is given up; default two minutes. */
  stallMs?: number;
  clock?: Clock;
  fetch?: Fetch;
};

const listPatienceMs = 3_000;

const anthropicUrl = "https://api.anthropic.com";

/** Throws `ModelError` "auth" when there is neither a key nor a token. */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const { stallMs = 120_000, clock = systemClock, fetch = globalThis.fetch } = options;
  const address = parseAddress((options.baseUrl ?? anthropicUrl).replace(/\/v1\/*$/, ""));
  const host = address.shown;
  const secret = options.apiKey || options.authToken;
  if (!secret)
    throw new ModelError(
      "auth",
      `There is no key for ${host}; set ANTHROPIC_API_KEY, or use --offline.`,
    );
  const credential = options.apiKey ? { apiKey: secret } : { authToken: secret };
  const connect = (fetch: Fetch) => loadSdk({ ...credential, baseURL: address.url, fetch });
  const whereOf = (model: string): CallContext => {
    return { model, host, secret, keyName: "ANTHROPIC_API_KEY", nowMs: clock.now() };
  };
  const rulesByModel = new Map<string, Promise<ModelRules>>();
  // A beta that comes and goes would change the prompt that the cache was written for.
  const betas = new Set<string>();

  async function* answer(request: ModelRequest, dog: Watchdog): AsyncGenerator<ModelEvent, void> {
    const where = whereOf(request.model);
    const params = paramsOf(request, thinkingWireOf(request.model));
    for (const beta of betasOf(request, params)) betas.add(beta);
    const sdk = await connect(observeBytes(fetch, dog.alive));
    // Not `beta.messages.create`: that writes of old models' retirement across the screen.
    const events = await sdk.post<AsyncIterable<unknown>>("/v1/messages", {
      body: params,
      stream: true,
      signal: dog.signal,
      headers: betas.size > 0 ? { "anthropic-beta": [...betas].join(",") } : {},
    });
    const reader = new AnswerReader();
    for await (const raw of events) {
      dog.progressed();
      const event = streamEvent.safeParse(raw);
      if (!event.success) throw broken("sent an event that is not of the Messages API", where);
      yield* reader.read(event.data);
      if (reader.complete) return;
    }
    dog.signal.throwIfAborted();
    throw broken("ended its answer in the middle (connection lost)", where);
  }

  return {
    label: host === anthropicUrl ? "anthropic" : `anthropic ${host}`,

    async models() {
      const key: Record<string, string> = options.apiKey
        ? { "x-api-key": secret }
        : { authorization: `Bearer ${secret}` };
      const headers = { ...key, "anthropic-version": "2023-06-01" };
      const told = await listModels(`${address.url}/v1/models?limit=100`, headers, {
        fetch,
        patienceMs: listPatienceMs,
      });
      return told.length > 0 || host !== anthropicUrl ? told : catalogued;
    },

    rules(model) {
      const asked = rulesByModel.get(model);
      if (asked !== undefined) return asked;
      const ask = async () => {
        const { rules, certain } = await askModelsApi(await connect(fetch), model, rulesOf(model));
        // A server that could not be asked may answer next time.
        if (!certain) rulesByModel.delete(model);
        return applyOverrides(rules, options.overrides);
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

    async countTokens(request, signal) {
      const params = paramsOf(request, thinkingWireOf(request.model));
      const { max_tokens: _, stream: __, compaction: ___, ...countable } = params;
      const needed = [...new Set([...betas, ...betasOf(request, params)])];
      try {
        const sdk = await connect(fetch);
        const { input_tokens } = await sdk.beta.messages.countTokens(
          { ...countable, ...(needed.length > 0 && { betas: needed }) },
          { signal, timeout: stallMs },
        );
        return input_tokens;
      } catch (error) {
        if (signal.aborted) throw stopped(error);
        throw await toModelError(error, whereOf(request.model));
      }
    },
  };
}
