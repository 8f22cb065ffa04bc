/** Streamable HTTP that ends calls whose answer can no longer arrive. */

import {
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { isRecord, parseJson } from "../../base/guards.ts";
import type { Fetch } from "./limited-fetch.ts";

/** Between two attempts to open a stream, in milliseconds, whatever the server asks for. */
const pauseMs = { least: 1_000, most: 30_000 };

export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, options: StreamableHTTPClientTransportOptions & { fetch: Fetch }) {
    super(url, {
      ...options,
      fetch: limitStreams(answeringFetch(options.fetch)),
      reconnectionScheduler(reconnect, ms) {
        const timer = setTimeout(reconnect, Math.min(Math.max(ms, pauseMs.least), pauseMs.most));
        return () => clearTimeout(timer);
      },
    });
  }

  /** The official one leaves a call waiting when the stream that should answer it ends. */
  override send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: Parameters<StreamableHTTPClientTransport["send"]>[1],
  ): Promise<void> {
    if (Array.isArray(message) || !("method" in message) || !("id" in message))
      return super.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      // Nobody waits for it any more when the answer has come.
      this.onmessage?.({ jsonrpc: "2.0", id, error: unanswered });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

const unanswered = { code: -32_000, message: "The connection was closed before it answered." };

/**
 * A `fetch` for JSON-RPC requests that turns a response which should contain the answer, but does not,
 * into a JSON-RPC error. The official client would wait for the answer until the call times out.
 */
const answeringFetch =
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
  const { id: of = null, error } = isRecord(json) ? json : {};
  if (of === null && isError(error)) return error;
  const isAnswer = isRecord(json) && of === id && !("method" in json);
  const wrong = isAnswer
    ? "answer does not follow JSON-RPC"
    : "response holds no answer to this request";
  return { code: -32_600, message: `Its ${wrong}.` };
}

/** A stream that ended sooner, in milliseconds, has ended at once. */
const shortMs = 5_000;
const timesInARow = 10;

/** Only the streams opened last are remembered. */
const maxStreams = 50;

/**
 * A `fetch` that opens no stream again that has ended at once many times, without an event: it
 * answers 405, upon which the official client gives up the stream and the call that waits for it.
 */
export function limitStreams(fetch: Fetch): Fetch {
  /** By the last event that was received. */
  const openings = new Map<string, { atMs: number; times: number }>();
  return (url, init) => {
    if (init?.method !== "GET") return fetch(url, init);
    const from = new Headers(init.headers).get("last-event-id") ?? "";
    const atMs = performance.now();
    const last = openings.get(from);
    const times = last && atMs - last.atMs < shortMs ? last.times + 1 : 1;
    openings.delete(from);
    openings.set(from, { atMs, times });
    for (const [oldest] of openings) if (openings.size > maxStreams) openings.delete(oldest);
    return times > timesInARow
      ? Promise.resolve(new Response(null, { status: 405 }))
      : fetch(url, init);
  };
}
