/** The model that a run asks: its client, and what is asked of it beside the conversation. */

import { resumedModel } from "../../agent/opening/opening.ts";
import { chooseProvider, type ProviderSettings } from "../../config/credentials.ts";
import type { Settings } from "../../config/settings.ts";
import type { AskModel } from "../../extensions/hooks/prompt-hook.ts";
import { modelNamed } from "../../model/catalog.ts";
import type { ModelClient } from "../../model/client.ts";
import type { Fetch } from "../../model/safe-fetch.ts";
import { textOf } from "../../protocol/block.ts";
import type { Spent } from "../../protocol/entry.ts";
import { costOf, type ModelRules, noUsage, type Usage } from "../../protocol/model.ts";
import type { Search } from "../../tools/web/web-search.ts";
import type { RunOptions } from "./run-options.ts";

export type RunModel = Awaited<ReturnType<typeof openModel>>;

/** Throws when the provider cannot work. */
export async function openModel(options: RunOptions) {
  const { settings, tracer, log, requestedModel } = options;
  const choice = chooseProvider(settings, options.env);
  const plain = await createClient(choice, settings, tracer?.fetch(fetch));
  const client = tracer?.model(plain) ?? plain;
  const { provider } = choice;
  const nameOf = (model: string): string => nameFor(provider, model);
  const name = nameOf(requestedModel ?? resumedModel(log) ?? settings.model);
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
    nameOf,
    /** The same for a model that a file names; null: the server may not have it. */
    known: (model: string): string | null => (provider === "anthropic" ? modelNamed(model) : null),
    /** Asks a question outside the conversation. */
    ask: askWith(client, (model) => nameOf(model ?? (hasSmall ? "haiku" : current()))),
  };
}

/** Short names mean Anthropic's models; another server may have its own "default". */
function nameFor(provider: ProviderSettings["provider"], name: string): string {
  if (provider === "offline") return "offline";
  return provider === "anthropic" ? modelNamed(name) : name;
}

/**
 * The client for the chosen provider; only that one is loaded. Keys are revealed here and nowhere
 * else. Throws `ModelError` when the choice cannot work, such as Anthropic without a key.
 */
export async function createClient(
  choice: ProviderSettings,
  settings: Settings,
  fetch?: Fetch,
): Promise<ModelClient> {
  const { stallMs, windowTokens, outputTokens, offlineWindowTokens } = settings;
  if (choice.provider === "offline") {
    const { createOfflineClient } = await import("../../model/offline/client.ts");
    return createOfflineClient({ windowTokens: windowTokens ?? offlineWindowTokens });
  }
  const overrides = {
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
  const { baseUrl } = choice;
  const apiKey = choice.apiKey?.reveal();
  if (choice.provider === "openai") {
    const { createOpenAiClient } = await import("../../model/openai/chat.ts");
    return createOpenAiClient({ baseUrl: choice.baseUrl, apiKey, stallMs, overrides, fetch });
  }
  const { createAnthropicClient } = await import("../../model/anthropic/messages.ts");
  const authToken = choice.authToken?.reveal();
  // The SDK requires a key, but the user's own server may not.
  const needsNone = baseUrl !== undefined && !apiKey && !authToken;
  const access = { baseUrl, authToken, apiKey: needsNone ? "none" : apiKey };
  return createAnthropicClient({ ...access, stallMs, overrides, fetch });
}

/** Room for an answer, and for thinking where it cannot be turned off. */
const maxTokens = 4_000;

/**
 * Asks a model once, outside the conversation, as hooks of the type `prompt` do. `nameOf`: of the model
 * for a question, which may name one.
 */
export function askWith(client: ModelClient, nameOf: (asked?: string) => string): AskModel {
  return async ({ system, text, model }, signal) => {
    const name = nameOf(model);
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
      if (event.type === "block") said.push(textOf([event.block]));
      if (event.type === "stop") usage = event.usage;
    }
    return { text: said.join(""), spent: spentOn(usage, rules, name) };
  };
}

/** Searches through the model's server, priced; null when it cannot search. */
export function searchThrough(model: ModelClient): Search | null {
  if (!model.searchWeb) return null;
  const searchWeb = model.searchWeb.bind(model);
  return async (search, signal) => {
    const { usage, model: name, ...found } = await searchWeb(search, signal);
    return { ...found, spent: spentOn(usage, await model.rules(name), name) };
  };
}

const spentOn = (usage: Usage, { prices }: ModelRules, model: string): Spent => ({
  model,
  usage,
  usd: costOf(usage, prices),
});
