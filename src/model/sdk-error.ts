/** Both SDKs come from one generator: they throw the same classes of errors. */

import { reasonOf } from "./connection.ts";
import { interrupted, refused, unreachable, type CallContext } from "./failures.ts";
import { ModelError } from "./model-error.ts";
import type { Sizes } from "./too-long.ts";

type ApiError = Error & { status?: number; headers?: Headers; error?: unknown };

type SdkErrors = {
  APIConnectionError: abstract new (...args: never[]) => Error;
  APIError: abstract new (...args: never[]) => ApiError;
};

/** What the body of a refusal says; null when it has no known form. */
type ReadBody = (
  body: unknown,
) => { type: string; message: string | undefined; sizes: Sizes | null } | null;

/** Turns anything that a call threw into a `ModelError`. */
export function modelErrorOf(
  error: unknown,
  context: CallContext,
  { APIConnectionError, APIError }: SdkErrors,
  readBody: ReadBody,
): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionError) {
    if (error.cause instanceof ModelError) return error.cause;
    return unreachable(error.cause ?? error, context);
  }
  if (!(error instanceof APIError)) return interrupted(reasonOf(error), context, error);
  const { status, headers } = error;
  const body = readBody(error.error);
  return refused(
    {
      status,
      type: body?.type ?? "",
      message: body?.message ?? error.message,
      sizes: body?.sizes ?? null,
      headers: status === undefined ? null : (headers ?? null),
      cause: error,
    },
    context,
  );
}
