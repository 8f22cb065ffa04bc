import { isRecord, parseJson } from "../protocol/guards.ts";
import type { Fetch } from "./limited-fetch.ts";

const unanswered = { code: -32_600, message: "Its response holds no answer to this request." };

/**
 * A `fetch` for JSON-RPC requests: when the response is JSON without their answer, which the official
 * client would wait for until the call times out, it answers with an error.
 */
export const answeringFetch =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const id = idOf(init?.body);
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    if (id === undefined || !response.ok || !isJson) return response;
    const text = await response.text();
    const { status, headers } = response;
    if (holdsAnswer(parseJson(text), id)) return new Response(text, { status, headers });
    return Response.json({ jsonrpc: "2.0", id, error: unanswered }, { headers });
  };

/** Of a request; undefined: it is something else, which needs no answer. */
function idOf(body: unknown): unknown {
  const message = typeof body === "string" ? parseJson(body) : null;
  return isRecord(message) && "method" in message ? message["id"] : undefined;
}

const holdsAnswer = (json: unknown, id: unknown): boolean =>
  Array.isArray(json)
    ? json.some((one) => holdsAnswer(one, id))
    : isRecord(json) && !("method" in json) && json["id"] === id;
