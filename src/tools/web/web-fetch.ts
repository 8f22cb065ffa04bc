import { z } from "zod";
import { connectionAdvice } from "../../base/connection-faults.ts";
import { errorMessage } from "../../base/format.ts";
import { attempt } from "../../base/guards.ts";
import { textOutput, ToolError, type Tool } from "../tool.ts";
import {
  canonicalHost,
  judgedHost,
  parseWebAddress,
  systemLookup,
  namesProxy,
  isLocalHost,
  type Lookup,
  publicAddresses,
} from "./address.ts";
import description from "./web-fetch.md" with { type: "text" };

const schema = z.strictObject({
  url: z.string(),
  prompt: z.string().optional(),
});

type FetchInput = z.infer<typeof schema>;

const internet: Network = {
  fetch: (url, init) => fetch(url, init),
  lookup: systemLookup,
  usesProxy: namesProxy(process.env),
};

/** Reads a page of the web as Markdown. */
export const webFetchTool = (network: Network = internet): Tool<FetchInput> => ({
  name: "WebFetch",
  description,
  schema,
  readOnly: true,
  intent: async ({ url }) => {
    const address = parseWebAddress(url);
    return {
      access: { kind: "fetch", host: judgedHost(address) },
      title: "Read a web page",
      detail: address.href,
    };
  },
  async run({ url }, { signal }) {
    const page = await fetchPage(parseWebAddress(url), network, signal);
    if (page.is === "redirect")
      return textOutput(
        `This page redirects to another site: ${page.to.href}. Call WebFetch with that.`,
      );
    const { body, type } = page;
    if (!/html/i.test(type)) return textOutput(body);
    const { pageText } = await import("./page-text.ts");
    return textOutput(pageText(body, page.url) || "(The page has no text.)");
  },
});

export type Network = {
  fetch(url: string, init: BunFetchRequestInit): Promise<Response>;
  lookup: Lookup;
  /** The user's proxy looks names up: perhaps nothing else can. */
  usesProxy: boolean;
};

type WebPage =
  | { is: "page"; url: URL; type: string; body: string }
  /** A redirect to another host, which needs its own approval. */
  | { is: "redirect"; to: URL };

const maxBytes = 5 * 1024 * 1024;
const maxRedirects = 5;
const timeoutMs = 30_000;

/** Addresses of a host that are tried, one after the other. */
const maxAddresses = 3;

const headers = {
  accept: "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1",
  "accept-language": "en, *;q=0.5",
  "user-agent": "mini-claude (coding agent)",
};

/** Reads text from one host. Throws `ToolError`. */
async function fetchPage(start: URL, network: Network, signal: AbortSignal): Promise<WebPage> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let url = start;
  for (let followed = 0; followed <= maxRedirects; followed++) {
    const response = await ask(url, network, limit);
    const to = findRedirect(response, url);
    if (to === null) return await read(response, url);
    await response.body?.cancel();
    if (judgedHost(to) !== judgedHost(url)) return { is: "redirect", to };
    url = to;
  }
  throw new ToolError(`${start.href} redirects more than ${maxRedirects} times.`);
}

/** The address to connect to, with the name of the server in the request. */
type Way = { url: string; init: BunFetchRequestInit };

/** A public name must not lead to a local address, which the user did not approve. Throws `ToolError`. */
async function waysTo(url: URL, { lookup, usesProxy }: Network): Promise<Way[]> {
  const host = canonicalHost(url);
  // The user approved this local name itself.
  if (usesProxy || isLocalHost(host)) return [{ url: url.href, init: { headers } }];
  return (await publicAddresses(host, lookup)).slice(0, maxAddresses).map((address) => {
    const there = new URL(url);
    there.hostname = address.includes(":") ? `[${address}]` : address;
    const init = {
      headers: { ...headers, host: url.host },
      tls: { serverName: host },
      // An open connection to this address may belong to another of its names.
      keepalive: false,
    };
    return { url: there.href, init };
  });
}

async function ask(url: URL, network: Network, signal: AbortSignal): Promise<Response> {
  let reason = "it has no address";
  let advice: string | null = null;
  for (const way of await waysTo(url, network)) {
    try {
      return await network.fetch(way.url, { ...way.init, redirect: "manual", signal });
    } catch (error) {
      if (signal.reason instanceof DOMException && signal.reason.name === "TimeoutError")
        throw new ToolError(
          `${canonicalHost(url)} did not answer within ${timeoutMs / 1000} seconds.`,
        );
      reason = errorMessage(error);
      advice = connectionAdvice(error);
      if (signal.aborted) break;
    }
  }
  throw new ToolError(
    `${canonicalHost(url)} could not be reached (${reason}).${advice === null ? "" : ` ${advice}`}`,
  );
}

function findRedirect({ status, headers: answered }: Response, from: URL): URL | null {
  if (status < 300 || status >= 400) return null;
  const location = answered.get("location");
  const to = location === null ? null : URL.parse(location, from.href);
  if (to && to.protocol !== "https:" && to.protocol !== "http:")
    throw new ToolError(`${from.href} redirects to an address that is not read: ${to.protocol}`);
  return to;
}

const readable = /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|toml)))/i;

async function read(response: Response, url: URL): Promise<WebPage> {
  const header = response.headers.get("content-type") ?? "";
  const type = header.split(";", 1)[0]?.trim() || "text/plain";
  if (!response.ok || !readable.test(type)) {
    await response.body?.cancel();
    const answered = `answered ${response.status} ${response.statusText}.`;
    const why = response.ok ? `is ${type}, which is not text.` : answered;
    throw new ToolError(`${url.href} ${why}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxBytes) continue;
    throw new ToolError(`${url.href} is larger than ${maxBytes / 1024 ** 2} MB.`);
  }
  return { is: "page", url, type, body: decode(Buffer.concat(chunks), header) };
}

const charset = /charset\s*=\s*["']?([\w.:-]+)/i;

/** By a byte order mark, else the server's charset or the page's own; otherwise as UTF-8. */
function decode(bytes: Buffer, header: string): string {
  const start = /html/i.test(header) ? bytes.toString("latin1", 0, 1_024) : "";
  const mark = bytes.toString("hex", 0, 2);
  const wide = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : null;
  const label = wide ?? (charset.exec(header) ?? charset.exec(start))?.[1];
  // The constructor takes any label, its type only some; it throws for an unknown one.
  const decoder = attempt((): TextDecoder => Reflect.construct(TextDecoder, [label]), null);
  return (decoder ?? new TextDecoder()).decode(bytes);
}
