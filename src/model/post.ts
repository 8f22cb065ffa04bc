/** One POST to a server of models. */

import { isRecord, parseJson } from "../base/guards.ts";
import { errorMessage } from "../base/in-words.ts";
import {
  type CallContext,
  ModelError,
  explainCause,
  interrupted,
  readError,
  refused,
  unreachable,
} from "./failures.ts";
import type { Fetch } from "./network.ts";

/** `fetch` is the safe one; `headers` hold the key. */
export type Endpoint = { url: string; headers: Record<string, string>; fetch: Fetch };

/** The answer once its head has arrived. Throws `ModelError`, or what `signal` was aborted with. */
export async function post(
  { url, headers, fetch }: Endpoint,
  body: object,
  signal: AbortSignal,
  context: CallContext,
): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    body: JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    if (error instanceof ModelError || signal.aborted) throw error;
    throw unreachable(error, context);
  });
  if (response.ok) return response;
  const text = await response.text().catch(errorMessage);
  const raw = parseJson(text);
  const { type = "", message, sizes = null } = readError(isRecord(raw) ? raw["error"] : null) ?? {};
  const { status } = response;
  const said = message ?? (text.trim() || response.statusText || "no reason given");
  const { origin, pathname } = new URL(url);
  const called = `${origin}${pathname}`;
  const refusal = { status, type, message: said, sizes, headers: response.headers, url: called };
  throw refused({ ...refusal, cause: raw ?? text }, context);
}

/** Turns anything that a call threw into a `ModelError`. */
export const toModelError = (error: unknown, context: CallContext): ModelError =>
  error instanceof ModelError ? error : interrupted(explainCause(error), context, error);
