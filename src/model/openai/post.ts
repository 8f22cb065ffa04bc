/** One POST to a server of OpenAI's kind, and the ids of calls that it takes. */

import { isRecord, parseJson } from "../../base/guards.ts";
import { errorMessage } from "../../base/format.ts";
import { ModelError } from "../client.ts";
import { type CallContext, explainCause, interrupted, refused, unreachable } from "../failures.ts";
import { readError } from "../read-answer.ts";
import type { Fetch } from "../network.ts";

/** `fetch` is the safe one; `headers` hold the key. */
type Endpoint = { url: string; headers: Record<string, string>; fetch: Fetch };

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
  // Gemini sends a list; FastAPI a detail; others the error itself.
  const first: unknown = Array.isArray(raw) ? raw[0] : raw;
  const error = isRecord(first) ? (first["error"] ?? first["detail"] ?? first) : null;
  const { type = "", message, sizes = null } = readError(error) ?? {};
  const { status } = response;
  const said = message ?? (text.trim() || response.statusText || "no reason given");
  const { origin, pathname } = new URL(url);
  const called = `${origin}${pathname}`;
  const refusal = { status, type, message: said, sizes, headers: response.headers, url: called };
  throw refused({ ...refusal, cause: raw ?? text }, context);
}

/** Turns anything that a call threw into a `ModelError`. */
export const toModelError = async (error: unknown, context: CallContext): Promise<ModelError> =>
  error instanceof ModelError ? error : interrupted(explainCause(error), context, error);

/**
 * Ids of tool calls, in the form that a server accepts. Every server accepts its own; a session
 * that was started elsewhere may have others. Gemini's gateways put a signature into them, so ids
 * are sent unchanged until a server refuses them.
 */

const outsideAlphabet = /[^a-zA-Z0-9_-]/;
const givenMark = "given_";

/**
 * An id as the session keeps it, in the alphabet of the Messages API. One in another alphabet would be
 * replaced there, and the signature in it lost; this one can be turned back.
 */
export const keptId = (given: string): string =>
  outsideAlphabet.test(given) ? givenMark + Buffer.from(given).toString("base64url") : given;

/** The id as the server gave it. */
const givenId = (kept: string): string =>
  kept.startsWith(givenMark)
    ? Buffer.from(kept.slice(givenMark.length), "base64url").toString()
    : kept;

const usualMost = 40;
/** Servers that limit them take at least this many characters. */
const least = 9;

/** The length that a refusal asks for, in characters; null: it is not about ids of calls. */
export function readIdLimit(refusal: string): number | null {
  if (!/tool[_ ]?calls?\b.{0,40}\bid\b|tool_call_id/i.test(refusal)) return null;
  const said = /(?:maximum length|length of|at most)\D{0,10}(\d{1,4})|\{\d*,?(\d{1,4})\}/i.exec(
    refusal,
  );
  // Others say only that it is invalid or unknown, which shorter ids would not fix.
  if (!said) return /too long|invalid|pattern|must be/i.test(refusal) ? usualMost : null;
  return Math.max(least, Math.min(usualMost, Number(said[1] ?? said[2])));
}

/** Letters and digits, as many as asked for, and always the same for an id. */
const shortId = (id: string, length: number): string =>
  Bun.CryptoHasher.hash("sha256", id, "hex").slice(0, length);

/** The id of a call as the server takes it. */
export const sentId = (id: string, length: number | null): string =>
  length === null ? givenId(id) : shortId(id, length);
