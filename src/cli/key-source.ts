import { chooseProvider } from "../config/credentials.ts";
import type { Settings } from "../config/settings.ts";

type Environment = Record<string, string | undefined>;

/** The model's provider, and the variable that holds the key; null: there is none. */
export function keySource(
  settings: Settings,
  env: Environment,
): { provider: "anthropic" | "openai" | "offline"; variable: string | null } {
  const { provider, ...choice } = chooseProvider(settings, env);
  const names = provider === "openai" ? ["OPENAI_API_KEY"] : anthropicNames;
  const hasKey = "apiKey" in choice || "authToken" in choice;
  const variable = hasKey ? (names.find((name) => env[name]?.trim()) ?? null) : null;
  return { provider, variable };
}

const anthropicNames = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
