/** What the SDK throws, as a `ModelError`: a kind to act on and a sentence to read. */

import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { z } from "zod";
import { ModelError, type ModelErrorKind } from "./errors.ts";
import { quote } from "./quote.ts";
import { retryAfterMs } from "./retry-after.ts";
import { isTooLong, sizesOf } from "./too-long.ts";
import { isUnreachable, reasonOf } from "./connection.ts";

export type Where = { model: string; host: string; secret: string | null; nowMs: number };

const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }),
});

export function toModelError(error: unknown, where: Where): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionError) return connectionError(error, where);
  if (error instanceof APIError) return apiError(error, where);
  // A stream that broke off inside the reader, or JSON that is none: the answer is lost.
  return new ModelError(
    "busy",
    `The connection to ${where.host} was lost in mid-answer (${quote(reasonOf(error), where.secret)}); try again.`,
    { cause: error },
  );
}

function connectionError(error: APIConnectionError, where: Where): ModelError {
  const reason = quote(reasonOf(error.cause ?? error), where.secret);
  if (isUnreachable(error.cause))
    return new ModelError(
      "unreachable",
      `Nobody answers at ${where.host} (${reason}); check the network and the address of the server.`,
      { cause: error },
    );
  return new ModelError(
    "busy",
    `The connection to ${where.host} was lost (${reason}); try again.`,
    { cause: error },
  );
}

function apiError(error: APIError, where: Where): ModelError {
  const body = errorBody.safeParse(error.error);
  const type = body.data?.error.type ?? "";
  const said = quote(body.data?.error.message ?? error.message, where.secret);
  const kind = kindOf(error.status, type, said, error.headers?.get("x-should-retry") ?? null);
  const sizes = kind === "too-long" ? sizesOf(said) : null;
  const wait = error.headers == null ? null : retryAfterMs(error.headers, where.nowMs);
  return new ModelError(kind, sentence(kind, error.status, type, said, where), {
    cause: error,
    ...(error.status !== undefined && { status: error.status }),
    ...(wait !== null && { retryAfterMs: wait }),
    ...(sizes !== null && { sizes }),
  });
}

const busyTypes = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"];
const authTypes = ["authentication_error", "permission_error", "billing_error"];

function kindOf(
  status: number | undefined,
  type: string,
  said: string,
  shouldRetry: string | null,
): ModelErrorKind {
  if (isTooLong(said) || status === 413) return "too-long";
  if (status === undefined) {
    if (authTypes.includes(type)) return "auth";
    return busyTypes.includes(type) || type === "" ? "busy" : "invalid";
  }
  if (status === 401 || status === 402 || status === 403) return "auth";
  const passing = status === 408 || status === 409 || status === 429 || status >= 500;
  if (passing && shouldRetry !== "false") return "busy";
  return "invalid";
}

function sentence(
  kind: ModelErrorKind,
  status: number | undefined,
  type: string,
  said: string,
  { host, model }: Where,
): string {
  const code = status === undefined ? type : String(status);
  switch (kind) {
    case "too-long":
      return `The prompt is too long for ${model} at ${host} ("${said}"); compact the conversation.`;
    case "auth":
      if (status === 401)
        return `${host} refused the key ("${said}"); set ANTHROPIC_API_KEY to a valid one.`;
      if (status === 402 || type === "billing_error")
        return `${host} refused the call for billing reasons ("${said}"); see to the account's credit.`;
      return `The key has no right to use ${model} at ${host} ("${said}"); choose another model or key.`;
    case "busy":
      if (status === 429) return `${host} asks us to slow down (429: "${said}"); try again later.`;
      return `${host} cannot answer at the moment (${code}: "${said}"); try again.`;
    default:
      if (status === 404)
        return `${host} does not know ${model} ("${said}"); choose another with --model.`;
      return `${host} refused the request to ${model} (${code}: "${said}").`;
  }
}
