import type { LocalServer } from "../model/detect.ts";

/** What the first screen says of who answers, and how to get a better one. */
export function noticesFor(label: string, servers: readonly LocalServer[]): string[] {
  if (label !== "offline") return [];
  const local = servers.map(
    ({ name, baseUrl, models }) =>
      `${name} runs here with ${models[0]}: /connect goes on with it. For later starts: OPENAI_BASE_URL=${baseUrl} mini-claude --model ${models[0]}`,
  );
  return [
    "The built-in offline model answers. It is no language model, but it really searches, reads, edits and runs.",
    ...(local.length > 0
      ? local
      : [
          "No key and no server is configured. /connect takes a key and goes on; for later starts set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL / OPENAI_BASE_URL for a server of your own (Ollama, LM Studio, llama.cpp).",
        ]),
  ];
}
