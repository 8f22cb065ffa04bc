/**
 * Claude behind the Messages API, through Anthropic's SDK. It makes one call and tells what came;
 * it never retries, and it reads nothing from the environment.
 */

import Anthropic from "@anthropic-ai/sdk";
import type { ModelEvent, ModelRequest, ModelRules } from "../protocol/model.ts";
import { streamEvent } from "./anthropic-events.ts";
import { toModelError, type Where } from "./anthropic-errors.ts";
import { betasOf, paramsOf } from "./anthropic-request.ts";
import { AnswerReader } from "./anthropic-stream.ts";
import { rulesOf, thinkingWireOf } from "./catalog.ts";
import type { ModelClient } from "./client.ts";
import { systemClock, type Clock } from "./clock.ts";
import { ModelError } from "./errors.ts";
import { askModelsApi } from "./models-api.ts";
import { observeBytes, type Fetch } from "./observe-bytes.ts";
import { applyOverrides, type RuleOverrides } from "./overrides.ts";
import { watch } from "./watchdog.ts";

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

const anthropicUrl = "https://api.anthropic.com";

/** Throws `ModelError` "auth" when there is neither a key nor a token. */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const { stallMs = 120_000, clock = systemClock, fetch = globalThis.fetch } = options;
  const baseURL = (options.baseUrl ?? anthropicUrl).replace(/\/+$/, "").replace(/\/v1$/, "");
  const secret = options.apiKey ?? options.authToken ?? null;
  if (secret === null || secret === "")
    throw new ModelError(
      "auth",
      `There is no key for ${baseURL}; set ANTHROPIC_API_KEY, or use --offline.`,
    );
  const sdk = new Anthropic({
    apiKey: options.apiKey ?? null,
    authToken: options.apiKey === undefined ? secret : null,
    baseURL,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    webhookKey: null,
    fetch,
    // The watchdog ends silent calls; a long answer that flows is none of the SDK's business.
    timeout: 24 * 60 * 60_000,
  });
  const where = (model: string): Where => ({ model, host: baseURL, secret, nowMs: clock.now() });
  const rulesByModel = new Map<string, Promise<ModelRules>>();
  // A beta that comes and goes would change the prompt that the cache was written for.
  const betas = new Set<string>();

  async function* stream(request: ModelRequest, signal: AbortSignal) {
    const dog = watch(signal, stallMs, clock);
    try {
      yield* answer(request, dog.signal, dog.alive, dog.progressed);
    } catch (error) {
      if (signal.aborted) throw aborted(error);
      if (dog.stalledMs !== null) throw stalled(dog.stalledMs, baseURL, error);
      throw toModelError(error, where(request.model));
    } finally {
      dog.end();
    }
  }

  async function* answer(
    request: ModelRequest,
    signal: AbortSignal,
    alive: () => void,
    progressed: () => void,
  ): AsyncGenerator<ModelEvent, void> {
    const params = paramsOf(request, thinkingWireOf(request.model));
    for (const beta of betasOf(request, params)) betas.add(beta);
    const observed = sdk.withOptions({ fetch: observeBytes(fetch, alive) });
    const events = await observed.beta.messages.create(
      { ...params, ...(betas.size > 0 && { betas: [...betas] }) },
      { signal },
    );
    const reader = new AnswerReader();
    for await (const raw of events) {
      progressed();
      const event = streamEvent.safeParse(raw);
      if (!event.success) throw misunderstood(baseURL, event.error);
      yield* reader.read(event.data);
      if (reader.complete) return;
    }
    signal.throwIfAborted();
    throw new ModelError(
      "busy",
      `${baseURL} ended its answer in the middle (connection lost); try again.`,
    );
  }

  return {
    label: baseURL === anthropicUrl ? "anthropic" : `anthropic ${baseURL}`,
    rules(model) {
      const asked = rulesByModel.get(model);
      if (asked !== undefined) return asked;
      const rules = askModelsApi(sdk, model, rulesOf(model)).then(({ rules, certain }) => {
        // A server that could not be asked may answer next time.
        if (!certain) rulesByModel.delete(model);
        return applyOverrides(rules, options.overrides);
      });
      rulesByModel.set(model, rules);
      return rules;
    },
    stream,
    async countTokens(request, signal) {
      const params = paramsOf(request, thinkingWireOf(request.model));
      const { max_tokens: _, stream: __, compaction: ___, ...countable } = params;
      const all = [...new Set([...betas, ...betasOf(request, params)])];
      try {
        const { input_tokens } = await sdk.beta.messages.countTokens(
          { ...countable, ...(all.length > 0 && { betas: all }) },
          { signal, timeout: stallMs },
        );
        return input_tokens;
      } catch (error) {
        throw signal.aborted ? aborted(error) : toModelError(error, where(request.model));
      }
    },
  };
}

const aborted = (cause: unknown) => new ModelError("aborted", "The call was stopped.", { cause });

const stalled = (ms: number, host: string, cause: unknown) =>
  new ModelError("stall", `${host} sent nothing for ${Math.round(ms / 1_000)} s; try again.`, {
    cause,
  });

const misunderstood = (host: string, cause: unknown) =>
  new ModelError("busy", `${host} sent an event that is not of the Messages API; try again.`, {
    cause,
  });
