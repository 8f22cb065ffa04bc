/** OpenAI's SDK, loaded when the first call is made so that the start need not wait for it. */

import type OpenAI from "openai";
import { z } from "zod";
import { reasonOf } from "./connection.ts";
import { ModelError } from "./model-error.ts";
import { broken, refused, unreachable, type CallContext } from "./failures.ts";
import type { Fetch } from "./observe-bytes.ts";

const sdk = () => import("openai");

/** Every option that the SDK would look up in the environment is given a value here. */
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

/** Servers disagree on where in the body they say what was wrong. */
const errorBody = z.union([
  z.string().transform((message) => ({ message, type: "", code: "" })),
  z.looseObject({
    message: z.string().optional(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
]);

/** Whatever a call threw, as a `ModelError`. */
export async function toModelError(error: unknown, where: CallContext): Promise<ModelError> {
  if (error instanceof ModelError) return error;
  const { APIConnectionError, APIError } = await sdk();
  if (error instanceof APIConnectionError) return unreachable(error.cause ?? error, where);
  if (error instanceof APIError) {
    const body = errorBody.safeParse(error.error).data;
    const code = typeof body?.code === "string" ? body.code : "";
    return refused(
      {
        status: error.status,
        type: code || (body?.type ?? ""),
        said: body?.message ?? error.message,
        headers: error.status === undefined ? null : (error.headers ?? null),
        cause: error,
      },
      where,
    );
  }
  return broken(`broke off in mid-answer (${reasonOf(error)})`, where, error);
}
