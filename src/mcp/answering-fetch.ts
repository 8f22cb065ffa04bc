import { isRecord, parseJson } from "../protocol/guards.ts";
import type { Fetch } from "./limited-fetch.ts";

/**
 * A `fetch` for JSON-RPC requests that turns a response which should contain the answer, but does not,
 * into a JSON-RPC error. The official client would wait for the answer until the call times out.
 */
export const answeringFetch =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const id = idOf(init?.body);
    if (id === undefined || !response.ok || !shouldHoldAnswer(response)) return response;
    const text = await response.text();
    const json = parseJson(text);
    const headers = new Headers(response.headers);
    headers.set("content-type", "application/json");
    if (holdsAnswer(json, id)) return new Response(text, { headers });
    return Response.json({ jsonrpc: "2.0", id, error: errorIn(json, id) }, { headers });
  };

/** Status 202 is for messages without an answer; after a request it means that none will come. */
const shouldHoldAnswer = ({ status, headers }: Response): boolean =>
  status === 202 || /^application\/json\b/i.test(headers.get("content-type") ?? "");

/** The id of a request; undefined for anything else, which needs no answer. */
function idOf(body: unknown): unknown {
  const message = typeof body === "string" ? parseJson(body) : null;
  return isRecord(message) && "method" in message ? message["id"] : undefined;
}

const holdsAnswer = (json: unknown, id: unknown): boolean =>
  Array.isArray(json)
    ? json.some((one) => holdsAnswer(one, id))
    : isRecord(json) && json["id"] === id && (isRecord(json["result"]) || isError(json["error"]));

type Failure = { code: number; message: string };

const isError = (value: unknown): value is Failure =>
  isRecord(value) && typeof value["code"] === "number" && typeof value["message"] === "string";

/** The server's own error if it could not read the request's id, otherwise what is wrong. */
function errorIn(json: unknown, id: unknown): Failure {
  if (!isRecord(json)) return failure("Its response holds no answer to this request.");
  const { id: of = null, error } = json;
  if (of === null && isError(error)) return error;
  return of === id && !("method" in json)
    ? failure("Its answer does not follow JSON-RPC.")
    : failure("Its response holds no answer to this request.");
}

const failure = (message: string): Failure => ({ code: -32_600, message });
