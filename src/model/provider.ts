/** Creates the client for the chosen provider. */

import type { ClientOptions, ModelClient } from "./client.ts";
import type { AnthropicAccess } from "./anthropic.ts";
import type { OpenAiAccess } from "./openai.ts";

export type ProviderChoice =
  ({ provider: "anthropic" } & AnthropicAccess) | ({ provider: "openai" } & OpenAiAccess);

/** Loads one provider only. Throws `ModelError` when the choice cannot work, such as Anthropic without a key. */
export async function createModelClient(
  choice: ProviderChoice,
  options: ClientOptions = {},
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
