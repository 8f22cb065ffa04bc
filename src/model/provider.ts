/** Creates the client for the chosen provider. */

import { createAnthropicClient } from "./anthropic.ts";
import type { ModelClient } from "./client.ts";
import type { Clock } from "../protocol/clock.ts";
import type { Fetch } from "./safe-fetch.ts";
import { createOpenAiClient } from "./openai.ts";
import type { RuleOverrides } from "./overrides.ts";

export type ProviderChoice =
  | { provider: "anthropic"; apiKey?: string; authToken?: string; baseUrl?: string }
  | { provider: "openai"; baseUrl: string; apiKey?: string };

type ProviderOptions = {
  overrides?: RuleOverrides;
  stallMs?: number;
  clock?: Clock;
  fetch?: Fetch;
};

/** Throws `ModelError` when the choice cannot work, such as Anthropic without a key. */
export function createModelClient(
  choice: ProviderChoice,
  options: ProviderOptions = {},
): ModelClient {
  switch (choice.provider) {
    case "anthropic": {
      const { provider: _, ...credentials } = choice;
      return createAnthropicClient({ ...credentials, ...options });
    }
    case "openai": {
      const { provider: _, ...address } = choice;
      return createOpenAiClient({ ...address, ...options });
    }
  }
}
