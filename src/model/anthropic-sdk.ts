/**
 * Requests to the Messages API. Streams and errors are read by Anthropic's SDK, of which only these
 * parts are loaded, with the first call: its client loads 250 modules for the rest of the API, which
 * takes 10 MiB and a third of a second.
 */

import { z } from "zod";
import { isRecord } from "../protocol/guards.ts";
import { messageOf } from "../protocol/in-words.ts";
import type { ModelError } from "./model-error.ts";
import type { CallContext } from "./failures.ts";
import type { Fetch } from "./safe-fetch.ts";
import { modelErrorOf } from "./sdk-error.ts";
import { sizesIn } from "./too-long.ts";

const sdkErrors = () => import("@anthropic-ai/sdk/core/error");
const sdkStreams = () => import("@anthropic-ai/sdk/core/streaming");

type Server = {
  baseUrl: string;
  /** The key or token; the API takes both alike. */
  secret: string;
  fetch: Fetch;
};

type Post = {
  /** JSON. */
  body: string;
  signal: AbortSignal;
  headers?: Record<string, string>;
};

/** Sends requests, once each. What it throws, `toModelError` can read. */
export class MessagesApi {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  /** The events of an answer, as they come. */
  async stream(path: string, post: Post): Promise<AsyncIterable<unknown>> {
    return eventsOf(await this.#send(path, post));
  }

  /** An answer as a whole. `timeoutMs` limits how long it takes. */
  async post(path: string, { timeoutMs, ...post }: Post & { timeoutMs: number }): Promise<unknown> {
    const signal = AbortSignal.any([post.signal, AbortSignal.timeout(timeoutMs)]);
    const response = await this.#send(path, { ...post, signal });
    return response.json();
  }

  async #send(path: string, { body, signal, headers }: Post): Promise<Response> {
    const { baseUrl, secret, fetch } = this.#server;
    const { APIError, APIConnectionError } = await sdkErrors();
    const all = new Headers(usualHeaders);
    for (const [name, value] of customHeaders()) all.set(name, value);
    const own = { authorization: `Bearer ${secret}`, ...headers };
    for (const [name, value] of Object.entries(own)) all.set(name, value);
    const sent = fetch(`${baseUrl}${path}`, { method: "POST", body, signal, headers: all });
    const response = await sent.catch((error: unknown) => {
      throw new APIConnectionError({
        cause: error instanceof Error ? error : new Error(String(error)),
      });
    });
    if (response.ok) return response;
    const text = await response.text().catch(messageOf);
    throw APIError.generate(response.status, objectIn(text), text, response.headers);
  }
}

const usualHeaders = {
  accept: "application/json",
  "content-type": "application/json",
  "user-agent": "mini-claude (coding agent)",
  // The version that the SDK speaks.
  "anthropic-version": "2026-10-21",
};

/** As the SDK reads them: one `name: value` a line. */
const customHeaders = (): [string, string][] =>
  (process.env["ANTHROPIC_CUSTOM_HEADERS"] ?? "").split("\n").flatMap((line) => {
    const colon = line.indexOf(":");
    return colon < 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
  });

async function* eventsOf(response: Response): AsyncGenerator<unknown, void> {
  const { Stream } = await sdkStreams();
  for await (const { event, data } of Stream.rawEvents(response)) {
    if (event === "error") {
      const { APIError } = await sdkErrors();
      throw new APIError(undefined, objectIn(data), data, response.headers);
    }
    if (event !== null && event !== "ping" && data !== "") yield JSON.parse(data);
  }
}

/** Undefined for anything else. */
function objectIn(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }),
});

/** Turns anything that a call threw into a `ModelError`. */
export const toModelError = async (error: unknown, context: CallContext): Promise<ModelError> =>
  modelErrorOf(error, context, await sdkErrors(), (body) => {
    const found = errorBody.safeParse(body).data?.error;
    return found ? { type: found.type ?? "", message: found.message, sizes: sizesIn(found) } : null;
  });
