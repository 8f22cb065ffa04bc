/** Which web addresses may be read, which are local, and where a public name leads. */

import { isIP } from "node:net";
import type { Environment } from "../../base/environment.ts";
import { ToolError } from "../tool.ts";

/** Throws `ToolError`. */
export function parseWebAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new ToolError(`“${text}” is not an address such as https://example.com/page.`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new ToolError(`Only http and https addresses can be read, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new ToolError("Addresses with a user name or a password are not read.");
  url.hash = "";
  return url;
}

/** The host as it is compared: in lower case and ASCII, without a port or a dot at its end. */
export const canonicalHost = (url: URL): string =>
  url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");

/** The host that a text names by itself, perhaps with a port or as an address; null: it does not. */
export function namedHost(text: string): string | null {
  const name = text.replace(/^https?:\/\/([^/]*)\/?$/i, "$1");
  if (/[\s/\\@?#]/.test(name)) return null;
  const url = URL.parse(`http://${name}`) ?? URL.parse(`http://[${name}]`);
  return url && canonicalHost(url);
}

/** The host that an answer covers: of the local network with its port, where each port is another server. */
export function judgedHost(url: URL): string {
  const host = canonicalHost(url);
  if (!isLocalHost(host)) return host;
  return `${host.includes(":") ? `[${host}]` : host}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}

/** Without the port that `judgedHost` adds. */
export const withoutPort = (host: string): string =>
  host.replace(/^(?:\[([^\]]*)\]|([^:]*)):\d+$/, "$1$2");

/** Names of the user's own machine and network. */
const localNames = /^(?:localhost|.*\.(?:localhost|local|internal|lan|home|home\.arpa)|[^.:]+)$/;

export const isLocalHost = (host: string): boolean =>
  isIP(host) === 0 ? localNames.test(host) : isLocalAddress(host);

/** Loaded with the first address: few sessions name one. */
const ipaddr = (): typeof import("ipaddr.js") => require("ipaddr.js");

/** Whether an IP address is outside the public internet; of IPv6, only 2000::/3 is public. */
function isLocalAddress(ip: string): boolean {
  if (!ipaddr().isValid(ip)) return true;
  const address = ipaddr().process(ip);
  if (address.kind() === "ipv6" && !/^[23]/.test(address.toString())) return true;
  return address.range() !== "unicast";
}

/** All addresses of a host, as the system's resolver gives them. */
export type Lookup = (host: string) => Promise<readonly { address: string }[]>;

export const systemLookup: Lookup = async (host) =>
  (await import("node:dns/promises")).lookup(host, { all: true });

/**
 * The addresses to connect to: looking the name up again could lead elsewhere. Throws `ToolError`
 * for a host of the local network, and for a public name that leads there.
 */
export async function publicAddresses(host: string, look: Lookup): Promise<string[]> {
  if (isLocalHost(host)) throw new ToolError(`${host} is on the local network.`);
  if (isIP(host) !== 0) return [host];
  const found = (await look(host).catch(() => [])).map(({ address }) => address);
  if (found.length === 0) throw new ToolError(`${host} has no address.`);
  if (found.some(isLocalAddress))
    throw new ToolError(`${host} resolves to an address of the local network.`);
  // Many networks have no route to IPv6 addresses.
  return found.toSorted((a, b) => isIP(a) - isIP(b));
}

/** Variables that programs take the address of a proxy from; most also read them in lower case. */
export const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** The user has a proxy, which may be the only way out. */
export const namesProxy = (env: Environment): boolean =>
  proxyVariables.some((name) => (env[name] || env[name.toLowerCase()] || "") !== "");
