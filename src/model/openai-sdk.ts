/** OpenAI's SDK, loaded when the first call is made so that it does not slow down the start. */

import type OpenAI from "openai";
import { z } from "zod";
import { reasonOf } from "./connection.ts";
import { ModelError } from "./model-error.ts";
import { interrupted, refused, unreachable, type CallContext } from "./failures.ts";
import type { Fetch } from "./safe-fetch.ts";

const sdk = () => import("openai");

/** Sets every option that the SDK would otherwise read from the environment. */
export async function loadOpenAi(connection: {
  apiKey: string;
  baseURL: string;
  fetch: Fetch;
}): Promise<OpenAI> {
  const { default: Client } = await sdk();
  return new Client({
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    timeout: 24 * 60 * 60_000,
    ...connection,
  });
}

/** Servers disagree on where in the body the error message is. */
const errorBody = z.union([
  z.string().transform((message) => ({ message, type: "", code: "" })),
  z.looseObject({
    message: z.string().optional(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
]);

/** Turns anything that a call threw into a `ModelError`. */
export async function toModelError(error: unknown, context: CallContext): Promise<ModelError> {
  if (error instanceof ModelError) return error;
  const { APIConnectionError, APIError } = await sdk();
  if (error instanceof APIConnectionError) {
    if (error.cause instanceof ModelError) return error.cause;
    return unreachable(error.cause ?? error, context);
  }
  if (error instanceof APIError) {
    const body = errorBody.safeParse(error.error).data;
    const code = typeof body?.code === "string" ? body.code : "";
    return refused(
      {
        status: error.status,
        type: code || (body?.type ?? ""),
        message: body?.message ?? error.message,
        headers: error.status === undefined ? null : (error.headers ?? null),
        cause: error,
      },
      context,
    );
  }
  return interrupted(reasonOf(error), context, error);
}
