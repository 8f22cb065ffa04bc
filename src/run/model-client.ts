import type { ProviderSettings } from "../config/credentials.ts";
import type { Settings } from "../config/settings.ts";
import type { ModelClient } from "../model/client.ts";
import type { Fetch } from "../model/safe-fetch.ts";

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
    const { createOfflineClient } = await import("../apps/offline/client.ts");
    return createOfflineClient({ windowTokens: windowTokens ?? offlineWindowTokens });
  }
  const overrides = {
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
  const { baseUrl } = choice;
  const apiKey = choice.apiKey?.reveal();
  if (choice.provider === "openai") {
    const { createOpenAiClient } = await import("../model/openai.ts");
    return createOpenAiClient({ baseUrl: choice.baseUrl, apiKey, stallMs, overrides, fetch });
  }
  const { createAnthropicClient } = await import("../model/anthropic.ts");
  const authToken = choice.authToken?.reveal();
  // The SDK requires a key, but the user's own server may not.
  const needsNone = baseUrl !== undefined && !apiKey && !authToken;
  const access = { baseUrl, authToken, apiKey: needsNone ? "none" : apiKey };
  return createAnthropicClient({ ...access, stallMs, overrides, fetch });
}
