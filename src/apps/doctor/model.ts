import type { Check } from "./check.ts";

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
  if ("error" in provider)
    return { name, state: "problem", text: provider.error, fix: "correct that variable" };
  if (provider.name === "offline")
    return {
      name,
      state: "warning",
      text: "only the built-in offline model: no key or server is configured",
      fix: "set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or use /connect",
    };
  const { model, address, keyIn } = provider;
  const text = `${model} at ${address}, ${keyIn === null ? "without a key" : `key in ${keyIn}`}`;
  const isRemote = address.startsWith("https:");
  if (keyIn !== null || !isRemote) return { name, state: "ok", text };
  const variable = provider.name === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  return { name, state: "problem", text, fix: `set ${variable}` };
}

function checkServers(servers: ModelSetup["servers"]): Check {
  const name = "Local servers";
  if (servers.length === 0) return { name, state: "ok", text: "none running" };
  const text = servers
    .map(({ name: server, baseUrl, models }) => `${server} ${baseUrl} (${models.join(", ")})`)
    .join("; ");
  return { name, state: "ok", text };
}
