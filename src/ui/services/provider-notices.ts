import type { LocalServer } from "../types.ts";

/** Tells, when only the offline model answers, how to connect a better model. */
export function providerNotices(servers: readonly LocalServer[]): string[] {
  const offline =
    "The built-in offline model answers. It is not a language model, but it searches, reads and edits files and runs commands.";
  if (servers.length === 0) {
    return [
      offline,
      "No API key or server is configured. Paste a key with /connect, or set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL / OPENAI_BASE_URL for your own server (Ollama, LM Studio, llama.cpp).",
    ];
  }
  const found = servers.map(
    ({ name, baseUrl, models }) =>
      `${name} is running here with ${models[0]}: switch with /connect, or start with OPENAI_BASE_URL=${baseUrl} mini-claude --model ${models[0]}`,
  );
  return [offline, ...found];
}
