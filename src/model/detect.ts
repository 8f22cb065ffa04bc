/** Looks for model servers on this machine, for the first screen of a fresh installation. */

import { listModels } from "./model-list.ts";
import type { Fetch } from "./observe-bytes.ts";

export type LocalServer = {
  name: "Ollama" | "LM Studio" | "llama.cpp";
  /** To be given to `createOpenAiClient`. */
  baseUrl: string;
  /** As the server names them; never empty. */
  models: string[];
};

const places = [
  { name: "Ollama", port: 11434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
] as const;

/** Servers that answer within `patienceMs` and have a model, in the order of `places`. Never throws. */
export async function detectLocalServers(
  options: { fetch?: Fetch; patienceMs?: number } = {},
): Promise<LocalServer[]> {
  const { fetch = globalThis.fetch, patienceMs = 300 } = options;
  const found = await Promise.all(
    places.map(async ({ name, port }): Promise<LocalServer[]> => {
      const baseUrl = `http://localhost:${port}/v1`;
      // None: nobody is there, or something else that happens to use the port.
      const models = await listModels(`${baseUrl}/models`, {}, { fetch, patienceMs });
      return models.length > 0 ? [{ name, baseUrl, models }] : [];
    }),
  );
  return found.flat();
}
