/**
 * The only way to the network: a `fetch` that follows no redirect, so that neither a key nor a
 * prompt reaches another host, and that stops reading answers no model would send.
 */

import { ModelError } from "./model-error.ts";

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const MIB = 1024 * 1024;

/** Bytes after decompression. 128,000 tokens sent one by one take about 30 MiB. */
const maxAnswerBytes = 128 * MIB;
/** Bytes without a line break, which an event stream needs after every event. */
const maxLineBytes = 16 * MIB;
const maxErrorBytes = MIB;
/** The SDKs turn an error into text again, which takes stack and seconds for one that is deep. */
const maxErrorDepth = 100;

/** `onBytes` is called for every chunk: the SDKs swallow the server's pings. */
export function safeFetch(fetch: Fetch, onBytes: () => void = () => {}): Fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: "manual" });
    onBytes();
    const address = new URL(url instanceof Request ? url.url : String(url));
    if (response.status >= 300 && response.status < 400)
      throw redirectError(address, response.headers.get("location"));
    if (response.body === null) return response;
    const limits = response.ok
      ? { maxBytes: maxAnswerBytes, maxDepth: Infinity }
      : { maxBytes: maxErrorBytes, maxDepth: maxErrorDepth };
    return new Response(limited(response.body, { ...limits, host: address.host, onBytes }), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

function redirectError(from: URL, location: string | null): ModelError {
  const to = location === null ? null : URL.parse(location, from.href);
  return new ModelError(
    "invalid",
    `${from.host} redirects to ${to?.origin ?? "an invalid address"}, and redirects are not followed. If you trust that address, set it as the base URL.`,
  );
}

type Limits = { maxBytes: number; maxDepth: number; host: string; onBytes: () => void };

/**
 * Reads only what is asked for. A stream that fails drops what it has queued, so a queue here (or a
 * `TransformStream`) would lose text that had arrived before the connection broke.
 */
function limited(body: ReadableStream<Uint8Array>, limits: Limits) {
  const { maxBytes, maxDepth, host, onBytes } = limits;
  const reader = body.getReader();
  const depth = maxDepth === Infinity ? null : new JsonDepth();
  let bytes = 0;
  let lineBytes = 0;
  const tooLarge = (limit: number, what: string): ModelError => {
    void reader.cancel();
    const size = `${Math.round(limit / MIB)} MiB`;
    return new ModelError("invalid", `${host} sent ${what} of more than ${size}; stopped reading.`);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        onBytes();
        bytes += value.length;
        const lineEnd = value.lastIndexOf(10);
        lineBytes = lineEnd < 0 ? lineBytes + value.length : value.length - lineEnd - 1;
        if (bytes > maxBytes) throw tooLarge(maxBytes, "an answer");
        if (lineBytes > maxLineBytes) throw tooLarge(maxLineBytes, "a line");
        if (depth && depth.after(value) > maxDepth) {
          void reader.cancel();
          throw new ModelError("invalid", `${host} sent an error that is nested too deeply.`);
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** How deep lists and objects are nested, at most, in JSON that comes in pieces. */
class JsonDepth {
  #depth = 0;
  #most = 0;
  #isText = false;
  #isEscaped = false;

  after(bytes: Uint8Array): number {
    for (const byte of bytes) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === 0x5c) this.#isEscaped = this.#isText;
      else if (byte === 0x22) this.#isText = !this.#isText;
      else if (this.#isText) continue;
      else if (byte === 0x5b || byte === 0x7b) this.#most = Math.max(this.#most, ++this.#depth);
      else if (byte === 0x5d || byte === 0x7d) this.#depth -= 1;
    }
    return this.#most;
  }
}
