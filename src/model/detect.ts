/** Looks for model servers on this machine, for the first screen of a fresh installation. */

import { z } from "zod";
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

const models = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1) })).min(1) });

/** Servers that answer within `patienceMs` and have a model, in the order of `places`. Never throws. */
export async function detectLocalServers(
  options: { fetch?: Fetch; patienceMs?: number } = {},
): Promise<LocalServer[]> {
  const { fetch = globalThis.fetch, patienceMs = 300 } = options;
  const found = await Promise.all(
    places.map(async ({ name, port }): Promise<LocalServer[]> => {
      const baseUrl = `http://localhost:${port}/v1`;
      try {
        const response = await fetch(`${baseUrl}/models`, {
          signal: AbortSignal.timeout(patienceMs),
        });
        if (!response.ok) return [];
        const list = models.parse(await response.json());
        return [{ name, baseUrl, models: list.data.map(({ id }) => id) }];
      } catch {
        // Nobody there, or something else that happens to use the port.
        return [];
      }
    }),
  );
  return found.flat();
}
