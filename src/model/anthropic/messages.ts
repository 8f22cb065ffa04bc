/**
 * Any server that speaks the Messages API, through Anthropic's SDK. A call is made once, never
 * retried, and neither key nor address is read from the environment.
 */

import { z } from "zod";
import {
  anthropicUrl,
  type ModelEvent,
  type ModelRequest,
  type ModelRules,
} from "../../protocol/model.ts";
import { parseAddress, listModels, safeFetch } from "../network.ts";
import { collectBetas, bindingControlsBeta, toParams } from "./request.ts";
import {
  type CloudAccess,
  cloudNames,
  loadCloudSdk,
  loadSdk,
  type Sdk,
  toModelError,
} from "./sdk.ts";
import {
  cloudName,
  isCataloged,
  knownModels,
  modelNamed,
  noThinking,
  lookUpRules,
  lookUpWire,
  type ThinkingWire,
} from "../catalog.ts";
import { type ModelClient, ModelError } from "../client.ts";
import { Betas, Limits } from "./learned.ts";
import { systemClock } from "../../base/clock.ts";
import { stopped, type CallContext } from "../failures.ts";
import {
  askModelsApi,
  cacheRules,
  type ClientOptions,
  discoverWindow,
  type FoundRules,
  localRules,
} from "../rules.ts";
import { watchedStream, type Watchdog } from "../watchdog.ts";

export type AnthropicAccess = {
  apiKey?: string | undefined;
  /** The token of a gateway or a subscription, in place of a key. */
  authToken?: string | undefined;
  /** Default: Anthropic's. */
  baseUrl?: string | undefined;
  /** In place of all these: another cloud, with its own credentials. */
  cloud?: CloudAccess | undefined;
};

/** The default of `stallMs`. */
const usualStallMs = 120_000;
/** How long a tool's result may wait for a refresh of the cache, in milliseconds. */
const refreshTimeoutMs = 20_000;
const searchTimeoutMs = 120_000;

const tokenCount = z.looseObject({ input_tokens: z.number() });

/** Throws `ModelError` "auth" when there is neither a key nor a token. */
export function createAnthropicClient(options: AnthropicAccess & ClientOptions): ModelClient {
  const { stallMs = usualStallMs, clock = systemClock, fetch = globalThis.fetch } = options;
  const address = parseAddress(
    (options.baseUrl ?? anthropicUrl).replace(/(?:\/v1)?(?:\/messages)?\/*$/, ""),
  );
  const host = options.cloud
    ? `${cloudNames[options.cloud.provider]} in ${options.cloud.region}`
    : address.shown;
  const { cloud } = options;
  const secret = options.apiKey || options.authToken || null;
  if (!secret && !cloud)
    throw new ModelError(
      "auth",
      `There is no key for ${host}. Set ANTHROPIC_API_KEY, enter a key in /connect, or start with --offline.`,
    );
  const credential = options.apiKey ? { apiKey: secret ?? "" } : { authToken: secret ?? "" };
  const connect = (onBytes?: () => void): Promise<Sdk> => {
    const safe = safeFetch(fetch, onBytes);
    if (cloud) return loadCloudSdk(cloud, safe);
    return loadSdk({ ...credential, baseURL: address.url, fetch: safe });
  };
  const headers: Record<string, string> = {
    ...(options.apiKey ? { "x-api-key": options.apiKey } : { authorization: `Bearer ${secret}` }),
    "anthropic-version": "2023-06-01",
  };
  const server = { baseUrl: address.url, headers, fetch: safeFetch(fetch) };
  const isAnthropic = host === anthropicUrl;
  const describeCall = (model: string): CallContext => {
    return {
      model,
      host,
      secret,
      keyName: cloud ? "your credentials" : "ANTHROPIC_API_KEY",
      nowMs: clock.now(),
    };
  };
  /** Models for which a server other than Anthropic's announced support for betas. */
  const announced = new Set<string>();
  /** Models that the server runs locally, regardless of their names. */
  const local = new Set<string>();
  /** Models for which the server refused tools that are defined in the middle of a conversation. */
  const refusing = new Set<string>();
  const betas = new Betas();
  const limits = new Limits();

  /** Bedrock requires a version, the same for all models. */
  const versionHeader: Record<string, string> =
    cloud?.provider === "bedrock" ? { "anthropic-version": "bedrock-2023-05-31" } : {};

  async function findRules(model: string): Promise<FoundRules> {
    if (cloud) {
      const rules = { ...withoutBetas(lookUpRules(model)), compacts: false, countsTokens: false };
      return { rules, certain: true };
    }
    const { changes, ...found } = await askModelsApi(server, model);
    // A local server answers to any name, even to a Claude model's.
    const isSilent = found.certain && found.reportedWindow === undefined;
    const mayBeLocal = !isAnthropic && (isSilent || !isCataloged(model));
    const window = mayBeLocal ? await discoverWindow(server, model) : null;
    if (window !== null) local.add(model);
    const isKnown = window === null && (isAnthropic || isCataloged(model));
    const start = isKnown
      ? { rules: lookUpRules(model), certain: true }
      : localRules(model, window);
    if (found.takesBetas) announced.add(model);
    const merged = { ...start.rules, ...changes };
    const takesBetas = isAnthropic || found.takesBetas;
    const compacts = merged.compacts && takesBetas;
    const rules = { ...(takesBetas ? merged : withoutBetas(merged)), compacts };
    return { ...start, ...found, rules, certain: found.certain && start.certain };
  }

  const takesBetasFor = (model: string): boolean => isAnthropic || announced.has(model);

  /** A level of effort that needs a beta is not sent to a server that does not take it. */
  function wireFor(model: string): ThinkingWire {
    const isPlain = local.has(model) || limits.refusesThinking;
    const { betas: needed = [], ...wire } = isPlain ? noThinking : lookUpWire(model);
    const isRefused = needed.some(betas.isRefused);
    if (takesBetasFor(model) && !isRefused) return { ...wire, betas: needed };
    return needed.length > 0 ? { ...wire, efforts: [] } : wire;
  }

  function paramsFor(request: ModelRequest) {
    const takesBetas = takesBetasFor(request.model);
    const binds = takesBetas && !betas.isRefused(bindingControlsBeta);
    const dropStaleThinking = request.dropStaleThinking && binds;
    return toParams(
      { ...request, dropStaleThinking, maxTokens: Math.min(request.maxTokens, limits.maxTokens) },
      wireFor(request.model),
      takesBetas && isCataloged(request.model) && !refusing.has(request.model),
    );
  }

  /** One call that is not a stream. Throws `ModelError`. */
  async function once<T>(
    model: string,
    signal: AbortSignal,
    call: (sdk: Sdk) => Promise<T>,
  ): Promise<T> {
    try {
      return await call(await connect());
    } catch (error) {
      if (signal.aborted) throw stopped(error);
      throw await toModelError(error, describeCall(model));
    }
  }

  /** Records a refused feature. Returns whether to send the request again without it. */
  function learnsFrom(error: unknown, request: ModelRequest, sent: readonly string[]): boolean {
    if (request.loadedTools && !refusing.has(request.model) && refusesDeferredTools(error)) {
      refusing.add(request.model);
      return true;
    }
    if (limits.learn(error)) return true;
    return betas.learn(sent, error) && request.compaction === undefined;
  }

  async function* answer(
    request: ModelRequest,
    watchdog: Watchdog,
    context: CallContext,
  ): AsyncGenerator<ModelEvent, void> {
    const sdk = await connect(watchdog.alive);
    // Not `beta.messages.create`: it prints warnings about the retirement of old models.
    async function post(): Promise<Response> {
      const params = paramsFor(request);
      const sent = betas.toSend(collectBetas(request, params, wireFor(request.model)));
      try {
        const call = sdk.post("/v1/messages", {
          body: limits.marked(params),
          stream: true,
          signal: watchdog.request,
          headers: { ...versionHeader, ...betaHeader(sent) },
        });
        const response = await call.asResponse();
        betas.accept(sent);
        return response;
      } catch (error) {
        if (!learnsFrom(error, request, sent)) throw error;
        return post();
      }
    }
    const response = await post();
    const [{ AnswerReader }, { readAnswer }] = await Promise.all([
      import("./answer.ts"),
      import("../read-answer.ts"),
    ]);
    const growing = new AnswerReader([...request.tools, ...(request.loadedTools ?? [])]);
    yield* readAnswer(response, growing, { watchdog, context, api: "Messages API" });
  }

  return {
    label: isAnthropic ? "anthropic" : cloud ? host : `anthropic ${host}`,

    async models() {
      if (cloud) return knownModels.map((model) => cloudName(cloud.provider, model));
      const listed = await listModels(server, `${address.url}/v1/models?limit=100`);
      return listed.length > 0 || !isAnthropic ? listed : [...knownModels];
    },

    rules: cacheRules(findRules, options.overrides),

    stream: watchedStream({ answer, stallMs, clock, describeCall, toModelError }),

    async refreshCache(request, signal) {
      const params = paramsFor(request);
      if (!takesBetasFor(request.model) || params.thinking?.type === "enabled") return null;
      return once(request.model, signal, async (sdk) => {
        const answer = await sdk.post("/v1/messages", {
          body: { ...params, max_tokens: 0, stream: false },
          signal,
          timeout: refreshTimeoutMs,
          headers: betaHeader(betas.toSend()),
        });
        const { billedUsage } = await import("./answer.ts");
        return billedUsage(answer);
      });
    },

    // Only Anthropic's own server is known to search.
    ...(isAnthropic && {
      searchWeb(search, signal) {
        const model = modelNamed("haiku");
        return once(model, signal, async (sdk) => {
          const { searchWeb } = await import("./web-search.ts");
          return searchWeb(search, model, (body) =>
            sdk.post("/v1/messages", { body, signal, timeout: searchTimeoutMs }),
          );
        });
      },
    }),

    ...(!cloud && {
      countTokens(request: ModelRequest, signal: AbortSignal) {
        const params = paramsFor(request);
        const { max_tokens: _, stream: __, compaction: ___, ...countable } = params;
        const needed = betas.toSend(collectBetas(request, params, wireFor(request.model)));
        return once(request.model, signal, async (sdk) => {
          const answer = await sdk.post("/v1/messages/count_tokens", {
            body: limits.marked(countable),
            signal,
            timeout: stallMs,
            headers: betaHeader(needed),
          });
          return tokenCount.parse(answer).input_tokens;
        });
      },
    }),
  };
}

const refusesDeferredTools = (error: unknown): boolean =>
  error instanceof Error && /defer_loading|tool_reference/.test(error.message);

/** Rules of a model whose server takes no betas. */
const withoutBetas = (rules: ModelRules): ModelRules =>
  rules.thinking === "bound" ? { ...rules, refusesStaleThinking: true } : rules;

const betaHeader = (sent: readonly string[]): Record<string, string> =>
  sent.length > 0 ? { "anthropic-beta": sent.join(",") } : {};
