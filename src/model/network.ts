/**
 * The only way to the network: a `fetch` that follows no redirect, so that neither a key nor a
 * prompt reaches another host, and that stops reading answers no model would send. Also addresses as
 * settings give them, and small questions to servers.
 */

import { ModelError } from "./client.ts";
import { quote } from "./failures.ts";
import { takeStart } from "../base/clip.ts";
import { isTooDeep, parseJson } from "../base/guards.ts";
import { z } from "zod";

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const MIB = 1024 * 1024;

/** Bytes after decompression. 128,000 tokens sent one by one take about 30 MiB. */
const maxAnswerBytes = 128 * MIB;
/** Bytes without a line break, which an event stream needs after every event. */
const maxLineBytes = 16 * MIB;
const maxErrorBytes = MIB;

/** `onBytes` is called for every chunk: the SDKs swallow the server's pings. */
export function safeFetch(fetch: Fetch, onBytes: () => void = () => {}): Fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: "manual" });
    onBytes();
    const address = new URL(url instanceof Request ? url.url : String(url));
    if (response.status >= 300 && response.status < 400)
      throw redirectError(
        address,
        response.headers.get("location"),
        new Headers(init?.headers ?? (url instanceof Request ? url.headers : {})),
      );
    if (response.body === null) return response;
    const { host } = address;
    const maxBytes = response.ok ? maxAnswerBytes : maxErrorBytes;
    const answer = new Response(limited(response.body, { maxBytes, host, onBytes }), response);
    return response.ok ? answer : new Response(await readFlat(answer, host), response);
  };
}

/** A server may put the key of the request into the address; it is not shown. */
function redirectError(from: URL, location: string | null, request: Headers): ModelError {
  const to = location === null ? null : URL.parse(location, from.href);
  const key = request.get("x-api-key") ?? request.get("authorization")?.replace(/^Bearer /i, "");
  const address = to ? to.origin + to.pathname : "an invalid address";
  const shown = quote(address, key ?? null);
  return new ModelError(
    "invalid",
    `${from.host} redirects to ${shown}, and redirects are not followed. If you trust that address, set it as the base URL.`,
  );
}

/** The SDKs turn an error into text again, which takes stack and seconds for one that is deep. */
async function readFlat(error: Response, host: string): Promise<string> {
  const text = await error.text().catch((failure: unknown) => {
    if (failure instanceof ModelError) throw failure;
    return "";
  });
  if (isTooDeep(parseJson(text)))
    throw new ModelError("invalid", `${host} sent an error that is nested too deeply.`);
  return text;
}

type AnswerLimits = { maxBytes: number; host: string; onBytes: () => void };

/**
 * Reads only what is asked for. A stream that fails drops what it has queued, so a queue here (or a
 * `TransformStream`) would lose text that had arrived before the connection broke.
 */
function limited(body: ReadableStream<Uint8Array>, limits: AnswerLimits) {
  const { maxBytes, host, onBytes } = limits;
  const reader = body.getReader();
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
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Throws `ModelError` "unreachable" when it is not an http or https address. */
export function parseAddress(text: string) {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ModelError(
      "unreachable",
      `"${takeStart(text, 200)}" is not a server address; use one like http://localhost:11434.`,
    );
  const path = url.pathname.replace(/\/+$/, "");
  const name = url.username === "" ? "" : `${url.username}:${url.password}@`;
  return {
    /** For calls; without a trailing slash. */
    url: `${url.protocol}//${name}${url.host}${path}`,
    /** For the screen: without user name and password. */
    shown: `${url.protocol}//${url.host}${path}`,
    hostname: url.hostname,
  };
}

/** `baseUrl` with or without `/v1` at its end. */
export type ModelServer = { baseUrl: string; headers: Record<string, string>; fetch: Fetch };

/** The answer to a GET, or to a POST if there is a body; null when it is not there in time. Never throws. */
export async function askServer<T>(
  { headers, fetch }: Pick<ModelServer, "headers" | "fetch">,
  url: string,
  schema: z.ZodType<T>,
  timeoutMs: number,
  body?: unknown,
): Promise<T | null> {
  try {
    const response = await fetch(url, {
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return response.ok ? (schema.safeParse(await response.json()).data ?? null) : null;
  } catch {
    return null;
  }
}

const usualTimeoutMs = 3_000;

const modelName = z.string().min(1).max(200).nullish().catch(null);
const models = z.looseObject({
  data: z.array(z.looseObject({ id: modelName }).catch({ id: null })),
});

/** Names of its models, in its order, without entries that have none; both kinds of API list them in the same form. */
export const listModels = async (
  server: Pick<ModelServer, "headers" | "fetch">,
  url: string,
  timeoutMs: number = usualTimeoutMs,
): Promise<string[]> =>
  (await askServer(server, url, models, timeoutMs))?.data.flatMap(({ id }) => id ?? []) ?? [];

const servers = [
  { name: "Ollama", port: 11434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
] as const;

/** Servers that answer within `timeoutMs` and have a model, in the order of `servers`. Never throws. */
export async function detectLocalServers({ timeoutMs = 300 } = {}) {
  const found = await Promise.all(
    servers.map(async ({ name, port }) => {
      const baseUrl = `http://localhost:${port}/v1`;
      // No models: nothing is running there, or something else uses the port.
      const server = { headers: {}, fetch: safeFetch(globalThis.fetch) };
      const models = await listModels(server, `${baseUrl}/models`, timeoutMs);
      return models.length > 0 ? [{ name, baseUrl, models }] : [];
    }),
  );
  return found.flat();
}
