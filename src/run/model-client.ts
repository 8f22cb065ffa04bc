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
  return createModelClient(revealed(choice), { stallMs, overrides, fetch });
}

function revealed(choice: Exclude<ProviderSettings, { provider: "offline" }>): ProviderChoice {
  const apiKey = choice.apiKey?.reveal();
  if (choice.provider === "openai") return { ...choice, apiKey };
  const authToken = choice.authToken?.reveal();
  // The SDK requires a key, but a server of the user's own may not.
  const needsNone = choice.baseUrl !== undefined && !apiKey && !authToken;
  return { ...choice, apiKey: needsNone ? "none" : apiKey, authToken };
}
