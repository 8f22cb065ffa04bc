/** The model that a run asks. */

import { resumedModel } from "../agent/opening/opening.ts";
import { chooseProvider, type ProviderSettings } from "../config/credentials.ts";
import type { AskModel } from "../hooks/prompt-hook.ts";
import { modelNamed } from "../model/catalog.ts";
import type { ModelClient } from "../model/client.ts";
import type { ModelRules } from "../protocol/model.ts";
import { askWith } from "./ask-model.ts";
import { createClient } from "./model-client.ts";
import type { RunOptions } from "./run-types.ts";

export type RunModel = {
  client: ModelClient;
  provider: ProviderSettings["provider"];
  /** At the start; a resumed session keeps its own, unless the start asks for another. */
  name: string;
  rules: ModelRules;
  /** The session's model now. */
  current(): string;
  /** The server's name of a model that the user named. */
  nameOf(model: string): string;
  /** Asks a question outside the session. */
  ask: AskModel;
};

/** Throws when the provider cannot work. */
export async function openModel(options: RunOptions): Promise<RunModel> {
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
    provider,
    name,
    rules: await client.rules(name),
    current,
    nameOf,
    ask: askWith(client, (model) => nameOf(model ?? (hasSmall ? "haiku" : current()))),
  };
}

/** Short names mean Anthropic's models; another server may have its own "default". */
function nameFor(provider: ProviderSettings["provider"], name: string): string {
  if (provider === "offline") return "offline";
  return provider === "anthropic" ? modelNamed(name) : name;
}
