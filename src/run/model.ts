/** The model of a run: its client, and requests outside the conversation. */

import { resumedModel } from "../agent/opening.ts";
import { chooseProvider, type ProviderSettings } from "../config/credentials.ts";
import type { Settings } from "../config/settings.ts";
import type { AskModel } from "../extensions/hooks/command-hook.ts";
import { type FileModel, type ModelFile, findModel, readModelFile } from "../config/servers.ts";
import { cloudName, modelNamed } from "../model/catalog.ts";
import type { RuleOverrides } from "../model/rules.ts";
import type { ModelClient } from "../model/client.ts";
import type { Fetch } from "../model/network.ts";
import type { Environment } from "../base/environment.ts";
import { blockText } from "../protocol/block.ts";
import { noUsage, spentOn, type Usage } from "../protocol/model.ts";
import type { WebSearcher } from "../tools/web/web-search.ts";
import type { RunOptions } from "./run-options.ts";

export type RunModel = Awaited<ReturnType<typeof openModel>>;

/** Throws when the provider cannot work. */
export async function openModel(
  options: Pick<RunOptions, "settings" | "env" | "paths" | "debugLog" | "log" | "requestedModel">,
) {
  const { settings, debugLog, log, requestedModel } = options;
  const file = readModelFile(options.paths.models);
  const wanted = requestedModel ?? resumedModel(log) ?? settings.model;
  const clientFor = clientsBy(file, settings, options.env, debugLog?.tracing(fetch));
  const choice = chooseProvider(settings, options.env, findModel(file, wanted));
  const first = await clientFor(wanted);
  const plain = Object.keys(file).length === 0 ? first : routed(first, clientFor, file);
  // A model that the file does not name is one of the server in the settings.
  const { provider } = findModel(file, wanted) ? chooseProvider(settings, options.env) : choice;
  const resolveModelName = (model: string): string =>
    findModel(file, model)?.id ?? nameFor(provider, model);
  const writer = settings.summary.model;
  const client = writer === undefined ? plain : withSummarizer(plain, resolveModelName(writer));
  const name = findModel(file, wanted)?.id ?? nameFor(choice.provider, wanted);
  const current = (): string => resumedModel(log) ?? name;
  // Anthropic's small model is enough; another server may have only the session's model.
  const hasSmall = choice.provider === "anthropic" && choice.baseUrl === undefined;
  return {
    client,
    /** At the start; a resumed session keeps its own, unless the start asks for another. */
    name,
    rules: await client.rules(name),
    /** The session's model now. */
    current,
    /** The server's name of a model that the user named. */
    nameOf: resolveModelName,
    /** The server's name of a model that a file names; null: the server may not have the model. */
    known: (model: string): string | null => (provider === "anthropic" ? modelNamed(model) : null),
    /** Asks a question outside the conversation. */
    ask: askWith(client, (model) => resolveModelName(model ?? (hasSmall ? "haiku" : current()))),
  };
}

type ClientFor = (model: string) => Promise<ModelClient>;

/** A client for each server: the one of the settings, and those that models in the user's file are at. */
function clientsBy(
  file: ModelFile,
  settings: Settings,
  env: Environment,
  fetch?: Fetch,
): ClientFor {
  const clients = new Map<string, Promise<ModelClient>>();
  return (model) => {
    const entry = findModel(file, model);
    const { provider, baseUrl, api, keyName } = entry ?? {};
    const isElsewhere = provider !== undefined || baseUrl !== undefined;
    const server = isElsewhere ? JSON.stringify([provider, baseUrl, api, keyName]) : "";
    const known =
      clients.get(server) ??
      createClient(chooseProvider(settings, env, entry), settings, { file, fetch });
    clients.set(server, known);
    return known;
  };
}

/** A client that sends each model's calls to its own server. `first`: the one that the session starts with. */
const routed = (first: ModelClient, clientFor: ClientFor, file: ModelFile): ModelClient => ({
  ...first,
  models: async () => [...new Set([...Object.keys(file), ...(await first.models())])],
  rules: async (model) => (await clientFor(model)).rules(model),
  async *stream(request, signal) {
    yield* (await clientFor(request.model)).stream(request, signal);
  },
  refreshCache: async (request, signal) =>
    (await (await clientFor(request.model)).refreshCache?.(request, signal)) ?? null,
});

/** Every other model has its summaries written by this one. */
const withSummarizer = (client: ModelClient, name: string): ModelClient => ({
  ...client,
  async rules(model) {
    const rules = await client.rules(model);
    return model === name ? rules : { ...rules, summarizer: await client.rules(name) };
  },
});

/** Short names mean Anthropic's models; another server may have its own "default". */
function nameFor(provider: ProviderSettings["provider"], name: string): string {
  if (provider === "offline") return "offline";
  if (provider === "bedrock" || provider === "vertex") return cloudName(provider, modelNamed(name));
  return provider === "anthropic" ? modelNamed(name) : name;
}

/**
 * The client for the chosen provider; only that one is loaded. Keys are revealed here and nowhere
 * else. Throws `ModelError` when the choice cannot work, such as Anthropic without a key.
 */
export async function createClient(
  choice: ProviderSettings,
  settings: Settings,
  { file = {}, fetch }: { file?: ModelFile; fetch?: Fetch | undefined } = {},
): Promise<ModelClient> {
  const { stallMs, windowTokens, outputTokens } = settings;
  if (choice.provider === "offline") {
    const { createOfflineClient } = await import("../model/offline/client.ts");
    return createOfflineClient({ windowTokens: windowTokens ?? 32_000 });
  }
  const overrides = (model: string): RuleOverrides => ({
    ...readRules(findModel(file, model)),
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  });
  const common = { stallMs, overrides, fetch };
  switch (choice.provider) {
    case "openai": {
      const { createOpenAiClient } = await import("../model/openai/client.ts");
      return createOpenAiClient({ ...choice, apiKey: choice.apiKey?.reveal(), ...common });
    }
    case "bedrock":
    case "vertex": {
      const { createAnthropicClient } = await import("../model/anthropic/messages.ts");
      return createAnthropicClient({ cloud: choice, ...common });
    }
    case "anthropic": {
      const { createAnthropicClient } = await import("../model/anthropic/messages.ts");
      const { baseUrl } = choice;
      const apiKey = choice.apiKey?.reveal();
      const authToken = choice.authToken?.reveal();
      // The SDK requires a key, but the user's own server may not.
      const needsNone = baseUrl !== undefined && !apiKey && !authToken;
      return createAnthropicClient({
        baseUrl,
        authToken,
        apiKey: needsNone ? "none" : apiKey,
        ...common,
      });
    }
  }
}

/** Rules of a model in the user's file. */
function readRules(model: FileModel | null): RuleOverrides {
  const { windowTokens, outputTokens, prices } = model ?? {};
  return {
    ...(windowTokens !== undefined && { windowTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(prices && {
      prices: {
        input: prices.input,
        output: prices.output,
        cacheRead: prices.cacheRead ?? prices.input,
        cacheWrite5m: prices.cacheWrite ?? prices.input,
        cacheWrite1h: prices.cacheWrite ?? prices.input,
      },
    }),
  };
}

/** Room for an answer, and for thinking where it cannot be turned off. */
const maxTokens = 4_000;

/**
 * Asks a model once, outside the conversation, as hooks of the type `prompt` do. `nameOf`: of the model
 * for a question, which may name one.
 */
function askWith(client: ModelClient, resolveModelName: (asked?: string) => string): AskModel {
  return async ({ system, text, model }, signal) => {
    const name = resolveModelName(model);
    const rules = await client.rules(name);
    const said: string[] = [];
    let usage: Usage = noUsage;
    const answer = client.stream(
      {
        model: name,
        system: [{ type: "text", text: system }],
        tools: [],
        messages: [{ role: "user", content: [{ type: "text", text }] }],
        maxTokens: Math.min(maxTokens, rules.outputTokens),
        thinking: "off",
        dropStaleThinking: false,
        purpose: "turn",
      },
      signal,
    );
    for await (const event of answer) {
      if (event.type === "block") said.push(blockText([event.block]));
      if (event.type === "stop") usage = event.usage;
    }
    return { text: said.join(""), spent: spentOn(usage, { ...rules, model: name }) };
  };
}

/** Searches through the model's server, priced; null when it cannot search. */
export function searchThrough(model: ModelClient): WebSearcher | null {
  if (!model.searchWeb) return null;
  const searchWeb = model.searchWeb.bind(model);
  return async (search, signal) => {
    const { usage, model: name, ...found } = await searchWeb(search, signal);
    return { ...found, spent: spentOn(usage, { ...(await model.rules(name)), model: name }) };
  };
}
