import { ok, problem, warning, type Check } from "./check.ts";

export type ModelSetup = {
  /** How the provider is set up, or why it cannot be. */
  provider:
    | { name: "offline" }
    | { name: "anthropic" | "openai"; model: string; address: string; keyIn: string | null }
    | { error: string };
  /** Model servers that run on this machine. */
  servers: readonly { name: string; baseUrl: string; models: readonly string[] }[];
};

/** The model that would answer. */
export function checkModel({ provider, servers }: ModelSetup): Check[] {
  return [checkProvider(provider), checkServers(servers)];
}

function checkProvider(provider: ModelSetup["provider"]): Check {
  const name = "Model";
  if ("error" in provider) return problem(name, provider.error, "correct that variable");
  if (provider.name === "offline")
    return warning(
      name,
      "only the built-in offline model: no key or server is configured",
      "set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or use /connect",
    );
  const { model, address, keyIn } = provider;
  const text = `${model} at ${address}, ${keyIn === null ? "without a key" : `key in ${keyIn}`}`;
  const isRemote = address.startsWith("https:");
  if (keyIn !== null || !isRemote) return ok(name, text);
  const variable = provider.name === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  return problem(name, text, `set ${variable}`);
}

function checkServers(servers: ModelSetup["servers"]): Check {
  const found = servers.map(
    ({ name, baseUrl, models }) => `${name} ${baseUrl} (${models.join(", ")})`,
  );
  return ok("Local servers", found.join("; ") || "none running");
}
