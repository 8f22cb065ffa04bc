/** OpenAI's SDK, loaded when the first call is made so that it does not slow down the start. */

import type OpenAI from "openai";
import { z } from "zod";
import type { ModelError } from "./model-error.ts";
import type { CallContext } from "./failures.ts";
import type { Fetch } from "./safe-fetch.ts";
import { modelErrorOf } from "./sdk-error.ts";
import { sizesIn } from "./too-long.ts";

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
    // Said again, or OPENAI_CUSTOM_HEADERS could replace it.
    defaultHeaders: { authorization: `Bearer ${connection.apiKey}` },
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
export const toModelError = async (error: unknown, context: CallContext): Promise<ModelError> =>
  modelErrorOf(error, context, await sdk(), (body) => {
    const found = errorBody.safeParse(body).data;
    const code = typeof found?.code === "string" ? found.code : "";
    return found
      ? { type: code || (found.type ?? ""), message: found.message, sizes: sizesIn(found) }
      : null;
  });
