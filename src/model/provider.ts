/** Creates the client for the chosen provider. */

import type { ModelClient } from "./client.ts";
import type { Clock } from "../protocol/clock.ts";
import type { Fetch } from "./safe-fetch.ts";
import type { RuleOverrides } from "./found-rules.ts";

export type ProviderChoice =
  | { provider: "anthropic"; apiKey?: string; authToken?: string; baseUrl?: string }
  | { provider: "openai"; baseUrl: string; apiKey?: string };

type ProviderOptions = {
  overrides?: RuleOverrides;
  stallMs?: number;
  clock?: Clock;
  fetch?: Fetch;
};

/** Loads one provider only. Throws `ModelError` when the choice cannot work, such as Anthropic without a key. */
export async function createModelClient(
  choice: ProviderChoice,
  options: ProviderOptions = {},
): Promise<ModelClient> {
  switch (choice.provider) {
    case "anthropic": {
      const { provider: _, ...credentials } = choice;
      const { createAnthropicClient } = await import("./anthropic.ts");
      return createAnthropicClient({ ...credentials, ...options });
    }
    case "openai": {
      const { provider: _, ...address } = choice;
      const { createOpenAiClient } = await import("./openai.ts");
      return createOpenAiClient({ ...address, ...options });
    }
  }
}
