/** Anthropic's SDK, loaded when the first call is made so that it does not slow down the start. */

import type Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import type { ModelError } from "./model-error.ts";
import { modelErrorOf, type CallContext } from "./failures.ts";
import type { Fetch } from "./safe-fetch.ts";
import { sizesIn } from "./too-long.ts";

const sdk = () => import("@anthropic-ai/sdk");

type Connection = ({ apiKey: string } | { authToken: string }) & { baseURL: string; fetch: Fetch };

/** Sets every option that the SDK would otherwise read from the environment. */
export async function loadSdk(connection: Connection): Promise<Anthropic> {
  const { default: Client } = await sdk();
  const secret = "apiKey" in connection ? connection.apiKey : connection.authToken;
  return new Client({
    apiKey: null,
    authToken: null,
    webhookKey: null,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    // The watchdog ends silent calls; an answer that keeps coming may take any length of time.
    timeout: 24 * 60 * 60_000,
    // Set here too, or ANTHROPIC_CUSTOM_HEADERS could replace it.
    defaultHeaders: { authorization: `Bearer ${secret}` },
    ...connection,
  });
}

const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }),
});

/** Turns anything that a call threw into a `ModelError`. */
export const toModelError = async (error: unknown, context: CallContext): Promise<ModelError> =>
  modelErrorOf(error, context, await sdk(), (body) => {
    const found = errorBody.safeParse(body).data?.error;
    return found ? { type: found.type ?? "", message: found.message, sizes: sizesIn(found) } : null;
  });
