/** Which models a server offers, as both kinds of API tell. */

import { z } from "zod";
import type { Fetch } from "./observe-bytes.ts";

const models = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1).max(200) })) });

/** Names from `url`, in the server's order; none when it does not tell in time. Never throws. */
export async function listModels(
  url: string,
  headers: Record<string, string>,
  { fetch, patienceMs }: { fetch: Fetch; patienceMs: number },
): Promise<string[]> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(patienceMs) });
    if (!response.ok) return [];
    return models.parse(await response.json()).data.map(({ id }) => id);
  } catch {
    return [];
  }
}
