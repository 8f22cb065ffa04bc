/** OpenAI's SDK, loaded when the first call is made so that it does not slow down the start. */

import type OpenAI from "openai";
import { z } from "zod";
import { isRecord } from "../protocol/guards.ts";
import { modelErrorOf, refused, type CallContext } from "./failures.ts";
import type { ModelError } from "./model-error.ts";
import type { Fetch } from "./safe-fetch.ts";
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
    // Set here too, or OPENAI_CUSTOM_HEADERS could replace it.
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

function readError(body: unknown) {
  const found = errorBody.safeParse(body).data;
  if (!found) return null;
  const code = typeof found.code === "string" ? found.code : "";
  return { type: code || (found.type ?? ""), message: found.message, sizes: sizesIn(found) };
}

/** Turns anything that a call threw into a `ModelError`. */
export const toModelError = async (error: unknown, context: CallContext): Promise<ModelError> =>
  modelErrorOf(error, context, await sdk(), readError);

/**
 * The error that a server reports after it has begun to answer; null: none. The status that it would
 * have had is often its code. `isError`: the event says that it is one.
 */
export function errorIn(raw: unknown, isError: boolean, context: CallContext): ModelError | null {
  if (!isRecord(raw)) return null;
  const isBare = raw["choices"] === undefined && (isError || raw["object"] === "error");
  const said = raw["error"] ?? (isBare ? raw : null);
  if (said === null) return null;
  const { type = "", message, sizes = null } = readError(said) ?? {};
  const code = isRecord(said) ? Number(said["code"]) : Number.NaN;
  const status = Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
  const refusal = { status, type, message: message ?? "no reason given", sizes, headers: null };
  return refused({ ...refusal, cause: raw }, context);
}
