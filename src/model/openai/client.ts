/**
 * Any server that speaks OpenAI's chat completions (Ollama, LM Studio, llama.cpp, vLLM and others), or
 * its Responses API. Such servers bill no cache and count no tokens.
 */

import { isTooDeep, parseJson } from "../../base/guards.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { parseAddress, listModels, safeFetch } from "../network.ts";
import { openAiRules } from "../catalog.ts";
import type { ClientOptions, ModelClient } from "../client.ts";
import { systemClock } from "../../base/clock.ts";
import {
  type StreamPart,
  givenId,
  post,
  readEventStream,
  readIdLimit,
  readStreamError,
  shortId,
  toModelError,
} from "./post.ts";
import { interrupted, malformed, type CallContext, ModelError } from "../failures.ts";
import { discoverWindow, applyOverrides, cacheRules, localRules } from "../rules.ts";
import { readChat } from "./chat-answer.ts";
import { toChatRequest } from "./chat-request.ts";
import { listReasoning, readResponse, toResponsesRequest } from "./responses.ts";
import { lingerMs, watchedStream, type Watchdog } from "../watchdog.ts";

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
  const address = parseAddress(
    options.baseUrl.replace(/\/*$/, "").replace(/(?<!\/v\d+|\/v1beta\/openai)$/, "/v1"),
  );
  const host = address.shown;
  const secret = options.apiKey || null;
  const isOpenAi = /(^|\.)openai\.com$/.test(address.hostname);
  const api = options.api ?? (isOpenAi ? "responses" : "chat");
  const apiName = api === "responses" ? "Responses API" : "chat completions API";
  const describeCall = (model: string): CallContext => {
    return { model, host, secret, keyName, nowMs: clock.now() };
  };
  const headers: Record<string, string> =
    secret === null ? {} : { authorization: `Bearer ${secret}` };
  const server = { baseUrl: address.url, headers, fetch: safeFetch(fetch) };
  const rules = cacheRules(async (model) => {
    const known = isOpenAi ? openAiRules(model) : null;
    const found = known ?? localRules(model, await discoverWindow(server, model));
    // Of OpenAI's own models, those that do not reason refuse to be asked to.
    if (api === "responses" && !isOpenAi) found.rules.thinking = "free";
    return { ...found, rules: applyOverrides(found, options.overrides?.(model)) };
  });

  /** The most characters of a tool call's id, once the server has refused longer ones. */
  let idLength: number | null = null;
  /** OpenAI shows a summary of the reasoning only to organizations that it has verified. */
  let showsReasoning = true;
  /** Reasoning that was refused, such as that of another key, which this one cannot decrypt. */
  const unreadable = new Set<string>();

  /** Throws `ModelError`, or what `watchdog` was aborted with. */
  async function send(
    request: ModelRequest,
    watchdog: Watchdog,
    context: CallContext,
  ): Promise<Response> {
    const length = idLength;
    const mapId = (id: string): string => (length === null ? givenId(id) : shortId(id, length));
    try {
      const [path, body] =
        api === "responses"
          ? ["responses", toResponsesRequest(request, { mapId, showsReasoning, unreadable })]
          : ["chat/completions", toChatRequest(request, isOpenAi, mapId)];
      const endpoint = { url: `${address.url}/${path}`, headers };
      return await post(
        { ...endpoint, fetch: safeFetch(fetch, watchdog.alive) },
        body,
        watchdog.request,
        context,
      );
    } catch (error) {
      const words = error instanceof Error ? error.message : "";
      if (api === "responses" && showsReasoning && /reasoning[. _]summar/i.test(words)) {
        showsReasoning = false;
        return send(request, watchdog, context);
      }
      if (
        api === "responses" &&
        /encrypted.content|item with id|of type 'reasoning'/i.test(words)
      ) {
        const sent = listReasoning(request.messages).filter((kept) => !unreadable.has(kept));
        for (const kept of sent) unreadable.add(kept);
        if (sent.length > 0) return send(request, watchdog, context);
      }
      const asked = readIdLimit(words);
      if (asked === null || (length !== null && length <= asked)) throw error;
      idLength = asked;
      return send(request, watchdog, context);
    }
  }

  function refuse(context: CallContext): never {
    throw malformed(`sent a chunk that is not part of the ${apiName}`, context);
  }

  async function* answer(
    request: ModelRequest,
    watchdog: Watchdog,
    context: CallContext,
  ): AsyncGenerator<ModelEvent, void> {
    const response = await send(request, watchdog, context);
    const reader = api === "responses" ? readResponse() : readChat(request);
    let isDone = false;
    try {
      for await (const part of readEventStream(response.body ?? noBytes())) {
        watchdog.progressed();
        isDone ||= part.is === "event" && part.data.startsWith("[DONE]");
        if (isDone) reader.ended();
        else {
          const raw = parsePart(part, context);
          yield* (isTooDeep(raw) ? null : reader.take(raw)) ?? refuse(context);
        }
        if (isDone || reader.isComplete())
          watchdog.linger(isDone || reader.hasUsage() ? lingerMs : usagePatienceMs);
      }
    } catch (error) {
      // Only the usage is missing, which is not worth an error.
      const isOver = isDone || reader.isComplete();
      if (watchdog.signal.aborted || !isOver || error instanceof ModelError) throw error;
    }
    watchdog.signal.throwIfAborted();
    if (reader.hasFailed()) throw interrupted("it reported an error", context);
    if (!reader.isComplete()) throw interrupted("connection lost", context);
    yield* reader.end();
  }

  return {
    label: `openai ${host}`,

    models: () => listModels(server, `${address.url}/models`),

    rules,

    stream: watchedStream({ answer, stallMs, clock, describeCall, toModelError }),
  };
}

/** How long a complete answer waits for the usage. */
const usagePatienceMs = 5_000;

async function* noBytes(): AsyncGenerator<Uint8Array, void> {}

/** Throws `ModelError`: the server reports an error, or sent no JSON. */
function parsePart(part: StreamPart, context: CallContext): unknown {
  const raw = parseJson(part.is === "event" ? part.data : part.text);
  const refusal = readStreamError(raw, part.is === "event" && part.name === "error", context);
  if (refusal) throw refusal;
  if (raw === undefined && part.is === "document")
    throw malformed("answered with something that is not a chat completion", context);
  if (raw === undefined) throw interrupted("an event that is not JSON", context);
  return raw;
}
