import { ToolError } from "../tool.ts";
import { hostOf, isLocalAddress, isLocalHost } from "./address.ts";

export type Network = {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** The addresses of a host. */
  lookup(host: string): Promise<readonly { address: string }[]>;
};

export type Page =
  | { is: "page"; url: URL; type: string; body: string }
  /** It points to another host, which needs its own approval. */
  | { is: "redirect"; to: URL };

const bytesAtMost = 5 * 1024 * 1024;
const redirectsAtMost = 5;
const timeoutMs = 30_000;

const headers = {
  accept: "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1",
  "accept-language": "en, *;q=0.5",
  "user-agent": "mini-claude (coding agent)",
};

/** Reads text from one host. Throws `ToolError`. */
export async function fetchPage(start: URL, network: Network, signal: AbortSignal): Promise<Page> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let url = start;
  for (let followed = 0; followed <= redirectsAtMost; followed++) {
    await checkAddress(url, network);
    const response = await ask(url, network, limit);
    const to = redirectOf(response, url);
    if (to === null) return await read(response, url);
    await response.body?.cancel();
    if (hostOf(to) !== hostOf(url)) return { is: "redirect", to };
    url = to;
  }
  throw new ToolError(`${start.href} redirects more than ${redirectsAtMost} times.`);
}

/** A public name must not resolve to a local address, which the user did not approve. */
async function checkAddress(url: URL, { lookup }: Network): Promise<void> {
  const host = hostOf(url);
  if (isLocalHost(host)) return;
  const found = await lookup(host).catch(() => []);
  if (found.some(({ address }) => isLocalAddress(address)))
    throw new ToolError(`${host} resolves to an address of the local network, so it is not read.`);
}

async function ask(url: URL, { fetch }: Network, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url.href, { headers, redirect: "manual", signal });
  } catch (error) {
    if (signal.reason instanceof DOMException && signal.reason.name === "TimeoutError")
      throw new ToolError(`${hostOf(url)} did not answer within ${timeoutMs / 1000} seconds.`);
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`${hostOf(url)} could not be reached (${reason}).`);
  }
}

function redirectOf({ status, headers: answered }: Response, from: URL): URL | null {
  if (status < 300 || status >= 400) return null;
  const location = answered.get("location");
  if (location === null || !URL.canParse(location, from.href)) return null;
  const to = new URL(location, from.href);
  if (to.protocol !== "https:" && to.protocol !== "http:")
    throw new ToolError(`${from.href} redirects to an address that is not read: ${to.protocol}`);
  return to;
}

const readable = /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|toml)))/i;

async function read(response: Response, url: URL): Promise<Page> {
  const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim() || "text/plain";
  if (!response.ok) {
    await response.body?.cancel();
    throw new ToolError(`${url.href} answered ${response.status} ${response.statusText}.`.trim());
  }
  if (!readable.test(type)) {
    await response.body?.cancel();
    throw new ToolError(`${url.href} is ${type}, which is not text.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= bytesAtMost) continue;
    throw new ToolError(`${url.href} is larger than ${bytesAtMost / 1024 ** 2} MB.`);
  }
  return { is: "page", url, type, body: Buffer.concat(chunks).toString("utf8") };
}
