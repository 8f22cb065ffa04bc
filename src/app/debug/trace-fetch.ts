import type { Fetch } from "../../model/network.ts";
import { counted, messageOf } from "../../base/in-words.ts";
import { count, type DebugLog } from "./debug-log.ts";

/** Headers whose values are shown. Any other may hold a key. */
const shownHeaders =
  /^(accept|content-type|content-length|user-agent|anthropic-(version|beta)|(x-)?request-id|retry-after|anthropic-ratelimit-.*|x-stainless-.*)$/i;

/** Writes every request and its answer to the log, without keys and bodies. */
export function traceFetch(fetch: Fetch, log: DebugLog): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const given = input instanceof Request ? input : undefined;
    const method = init?.method ?? given?.method ?? "GET";
    const what = `${method} ${addressOf(url)}`;
    const headers = describeHeaders(new Headers(init?.headers ?? given?.headers));
    log.write("http", `${what}${sizeOf(init?.body)}, ${headers}`);
    const start = performance.now();
    const elapsed = (): string => `${count(performance.now() - start)} ms`;
    try {
      const response = await fetch(input, init);
      const headers = describeHeaders(response.headers);
      log.write("http", `${what}: ${response.status} after ${elapsed()}, ${headers}`);
      return response;
    } catch (error) {
      log.write("http", `${what}: failed after ${elapsed()}: ${messageOf(error)}`);
      throw error;
    }
  };
}

/** The size of a body, if it is known before it is sent. */
function sizeOf(body: RequestInit["body"]): string {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return "";
  return `, ${counted(Buffer.byteLength(body), "byte")}`;
}

/** Without a password or a query, which may hold a key. */
function addressOf(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

const describeHeaders = (headers: Headers): string =>
  [...headers]
    .map(([name, value]) => `${name}: ${shownHeaders.test(name) ? value : "[hidden]"}`)
    .join("; ");
