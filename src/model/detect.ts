/** Looks for model servers on this machine, for the first screen of a new installation. */

import { listModels } from "./ask-server.ts";
import { safeFetch, type Fetch } from "./safe-fetch.ts";

const servers = [
  { name: "Ollama", port: 11434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
] as const;

/** Servers that answer within `timeoutMs` and have a model, in the order of `servers`. Never throws. */
export async function detectLocalServers(options: { fetch?: Fetch; timeoutMs?: number } = {}) {
  const { fetch = globalThis.fetch, timeoutMs = 300 } = options;
  const found = await Promise.all(
    servers.map(async ({ name, port }) => {
      const baseUrl = `http://localhost:${port}/v1`;
      // No models: nothing is running there, or something else uses the port.
      const server = { headers: {}, fetch: safeFetch(fetch) };
      const models = await listModels(server, `${baseUrl}/models`, timeoutMs);
      return models.length > 0 ? [{ name, baseUrl, models }] : [];
    }),
  );
  return found.flat();
}
