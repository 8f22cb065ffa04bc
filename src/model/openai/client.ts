/**
 * Any server that speaks OpenAI's chat completions (Ollama, LM Studio, llama.cpp, vLLM and others), or
 * its Responses API. Such servers bill no cache and count no tokens.
 */

import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { listModels, safeFetch } from "../network.ts";
import { openAiRules } from "../catalog.ts";
import { type ModelClient, ModelError } from "../client.ts";
import { systemClock } from "../../base/clock.ts";
import { openAiAddress } from "./address.ts";
import { dialectOf, learn } from "./dialect.ts";
import { readAnswer } from "../read-answer.ts";
import { post, toModelError } from "./post.ts";
import { aboutModel, type CallContext } from "../failures.ts";
import { cacheRules, type ClientOptions, discoverWindow, localRules } from "../rules.ts";
import { readChat } from "./chat-answer.ts";
import { toChatRequest } from "./chat-request.ts";
import { readResponse, toResponsesRequest } from "./responses.ts";
import { watchedStream, type Watchdog } from "../watchdog.ts";

export type OpenAiAccess = {
  /** With or without `/v1` at its end. */
  baseUrl: string;
  /** Local servers rarely require one. */
  apiKey?: string | undefined;
  /** The variable that holds the key, for errors. */
  keyName?: string | undefined;
  /** "responses", which keeps the model's reasoning, is the default for OpenAI's own address. */
  api?: "chat" | "responses" | undefined;
};

/**
 * The default of `stallMs`: a server may be silent while it
 * loads the model and reads the whole prompt.
 */
const usualStallMs = 600_000;

export function createOpenAiClient(options: OpenAiAccess & ClientOptions): ModelClient {
  const { stallMs = usualStallMs, clock = systemClock, fetch = globalThis.fetch } = options;
  const { keyName = "OPENAI_API_KEY" } = options;
  const address = openAiAddress(options.baseUrl);
  const host = address.shown;
  const secret = options.apiKey || null;
  const isOpenAi = /(^|\.)openai\.com$/.test(address.hostname);
  const named = address.names && (address.names === "responses" ? "responses" : "chat");
  const api = options.api ?? named ?? (isOpenAi ? "responses" : "chat");
  const apiName = api === "responses" ? "Responses API" : "chat completions API";
  const describeCall = (model: string): CallContext => {
    return { model, host, secret, keyName, nowMs: clock.now() };
  };
  const headers: Record<string, string> =
    secret === null ? {} : { authorization: `Bearer ${secret}` };
  const server = () => ({ baseUrl: address.base(), headers, fetch: safeFetch(fetch) });
  const rules = cacheRules(async (model) => {
    const known = isOpenAi ? openAiRules(model) : null;
    const found = known ?? localRules(model, await discoverWindow(server(), model));
    // Of OpenAI's own models, those that do not reason refuse to be asked to.
    if (api === "responses" && !isOpenAi) found.rules.thinking = "free";
    return found;
  }, options.overrides);

  const dialect = dialectOf(address.hostname);

  /** Throws `ModelError`, or what `watchdog` was aborted with. */
  async function send(
    request: ModelRequest,
    watchdog: Watchdog,
    context: CallContext,
  ): Promise<Response> {
    try {
      const [path, body] =
        api === "responses"
          ? ["responses", toResponsesRequest(request, dialect)]
          : ["chat/completions", toChatRequest(request, dialect)];
      const endpoint = { url: address.at(path), headers, fetch: safeFetch(fetch, watchdog.alive) };
      const response = await post(endpoint, body, watchdog.request, context);
      address.confirm();
      return response;
    } catch (error) {
      if (!(error instanceof ModelError) || !learnsFrom(error, request)) throw error;
      return send(request, watchdog, context).catch((last: unknown) => {
        // The first address is the configured one.
        throw isNoAddress(error) && isNoAddress(last) ? error : last;
      });
    }
  }

  /** Records a refused feature. Returns whether to send the request again without it. */
  function learnsFrom(error: ModelError, request: ModelRequest): boolean {
    const words = error.said ?? error.message;
    if (error.status === 404 || error.status === 405)
      return isNoAddress(error) && address.tryNext();
    // OpenRouter refuses answers that might cost more than is left.
    const mayLearn = api === "responses" || error.kind === "invalid" || error.status === 402;
    return mayLearn && learn(dialect, words, request);
  }

  async function* answer(
    request: ModelRequest,
    watchdog: Watchdog,
    context: CallContext,
  ): AsyncGenerator<ModelEvent, void> {
    const response = await send(request, watchdog, context);
    const growing = api === "responses" ? readResponse() : readChat(request, dialect);
    yield* readAnswer(response, growing, { watchdog, context, api: apiName });
  }

  return {
    label: `openai ${host}`,

    models: () => listModels(server(), address.at("models")),

    rules,

    stream: watchedStream({ answer, stallMs, clock, describeCall, toModelError }),
  };
}

const isNoAddress = (error: unknown): boolean =>
  error instanceof ModelError &&
  (error.status === 404 || error.status === 405) &&
  !aboutModel.test(error.said ?? error.message);
