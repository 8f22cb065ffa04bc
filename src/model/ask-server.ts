/** Small questions to a server, such as what models it has: answered soon or not at all. */

import { z } from "zod";
import type { Fetch } from "./safe-fetch.ts";

/** `baseUrl` with or without `/v1` at its end. */
export type ModelServer = { baseUrl: string; headers: Record<string, string>; fetch: Fetch };

/** The answer to a GET, or to a POST if there is a body; null when it is not there in time. Never throws. */
export async function askServer<T>(
  { headers, fetch }: Pick<ModelServer, "headers" | "fetch">,
  url: string,
  schema: z.ZodType<T>,
  timeoutMs: number,
  body?: unknown,
): Promise<T | null> {
  try {
    const response = await fetch(url, {
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return response.ok ? (schema.safeParse(await response.json()).data ?? null) : null;
  } catch {
    return null;
  }
}

const usualTimeoutMs = 3_000;

const models = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1).max(200) })) });

/** Names of its models, in its order; both kinds of API list them in the same form. */
export const listModels = async (
  server: Pick<ModelServer, "headers" | "fetch">,
  url: string,
  timeoutMs: number = usualTimeoutMs,
): Promise<string[]> =>
  (await askServer(server, url, models, timeoutMs))?.data.map(({ id }) => id) ?? [];
