import type { ProviderSettings } from "../config/credentials.ts";
import type { Settings } from "../config/settings.ts";
import type { ModelClient } from "../model/client.ts";
import { createModelClient } from "../model/provider.ts";

/** The client for whoever was chosen. Keys are revealed here and nowhere else. */
export async function createClient(
  choice: ProviderSettings,
  settings: Settings,
): Promise<ModelClient> {
  const options = {
    stallMs: settings.stallMs,
    overrides: {
      ...(settings.windowTokens === undefined ? {} : { windowTokens: settings.windowTokens }),
      ...(settings.outputTokens === undefined ? {} : { outputTokens: settings.outputTokens }),
    },
  };
  switch (choice.provider) {
    case "offline": {
      const { createOfflineClient } = await import("../apps/offline/client.ts");
      return createOfflineClient({
        windowTokens: settings.windowTokens ?? settings.offlineWindowTokens,
      });
    }
    case "openai": {
      const { provider, baseUrl, apiKey } = choice;
      return createModelClient(
        { provider, baseUrl, ...(apiKey ? { apiKey: apiKey.reveal() } : {}) },
        options,
      );
    }
    case "anthropic": {
      const { provider, baseUrl, apiKey, authToken } = choice;
      return createModelClient(
        {
          provider,
          ...(baseUrl === undefined ? {} : { baseUrl }),
          ...(apiKey ? { apiKey: apiKey.reveal() } : {}),
          ...(authToken ? { authToken: authToken.reveal() } : {}),
          // A server of the person's own may want no key; the SDK wants some word there.
          ...(baseUrl !== undefined && !apiKey && !authToken ? { apiKey: "none" } : {}),
        },
        options,
      );
    }
  }
}
