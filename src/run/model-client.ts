import type { ProviderSettings } from "../config/credentials.ts";
import type { Settings } from "../config/settings.ts";
import type { ModelClient } from "../model/client.ts";
import { createModelClient, type ProviderChoice } from "../model/provider.ts";
import type { Fetch } from "../model/safe-fetch.ts";

/** The client for the chosen provider. Keys are revealed here and nowhere else. */
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
  return createModelClient(revealed(choice), {
    stallMs,
    overrides,
    ...(fetch ? { fetch } : {}),
  });
}

function revealed(choice: Exclude<ProviderSettings, { provider: "offline" }>): ProviderChoice {
  const apiKey = choice.apiKey ? { apiKey: choice.apiKey.reveal() } : {};
  if (choice.provider === "openai")
    return { provider: "openai", baseUrl: choice.baseUrl, ...apiKey };
  const { baseUrl, authToken } = choice;
  return {
    provider: "anthropic",
    ...(baseUrl === undefined ? {} : { baseUrl }),
    // The SDK requires a key, but a server of the user's own may not.
    ...(baseUrl !== undefined && !choice.apiKey && !authToken ? { apiKey: "none" } : apiKey),
    ...(authToken ? { authToken: authToken.reveal() } : {}),
  };
}
