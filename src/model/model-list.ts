/** The models that a server offers; both kinds of API list them in the same form. */

import { z } from "zod";
import type { Fetch } from "./safe-fetch.ts";

const models = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1).max(200) })) });

const usualTimeoutMs = 3_000;

/** Names from `url`, in the server's order; none when it does not answer in time. Never throws. */
export async function listModels(
  url: string,
  headers: Record<string, string>,
  fetch: Fetch,
  timeoutMs: number = usualTimeoutMs,
): Promise<string[]> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) return [];
    return models.parse(await response.json()).data.map(({ id }) => id);
  } catch {
    return [];
  }
}
