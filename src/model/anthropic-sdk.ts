/** Anthropic's SDK, loaded when the first call is made so that the start need not wait for it. */

import type Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import { ModelError } from "./model-error.ts";
import { refused, unreachable, broken, type CallContext } from "./failures.ts";
import { reasonOf } from "./connection.ts";
import type { Fetch } from "./observe-bytes.ts";

const sdk = () => import("@anthropic-ai/sdk");

export type Connection = { apiKey?: string; authToken?: string; baseURL: string; fetch: Fetch };

/** Every option that the SDK would look up in the environment is given a value here. */
export async function loadSdk(connection: Connection): Promise<Anthropic> {
  const { default: Client } = await sdk();
  return new Client({
    apiKey: null,
    authToken: null,
    webhookKey: null,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    // The watchdog ends silent calls; an answer that flows may take as long as it likes.
    timeout: 24 * 60 * 60_000,
    ...connection,
  });
}

const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }),
});

/** Whatever a call threw, as a `ModelError`. */
export async function toModelError(error: unknown, where: CallContext): Promise<ModelError> {
  if (error instanceof ModelError) return error;
  const { APIConnectionError, APIError } = await sdk();
  if (error instanceof APIConnectionError) return unreachable(error.cause ?? error, where);
  if (error instanceof APIError) {
    const body = errorBody.safeParse(error.error).data?.error;
    return refused(
      {
        status: error.status,
        type: body?.type ?? "",
        said: body?.message ?? error.message,
        headers: error.status === undefined ? null : (error.headers ?? null),
        cause: error,
      },
      where,
    );
  }
  return broken(`broke off in mid-answer (${reasonOf(error)})`, where, error);
}
