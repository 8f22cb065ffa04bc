/** Which web addresses may be read, which are local, and where a public name leads. */

import { isIP } from "node:net";
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

/** The host, as rules name it: in lower case, without a port. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** Names of the user's own machine and network. */
const localNames = /^(?:localhost|.*\.(?:localhost|local|internal|lan|home|home\.arpa)|[^.:]+)$/;

export const isLocalHost = (host: string): boolean =>
  isIP(host) === 0 ? localNames.test(host) : isLocalAddress(host);

/** An IP address that is not on the public internet. RFC 6890. */
export function isLocalAddress(ip: string): boolean {
  const mapped = /^::ffff:(?:0:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  const [a = 0, b = 0] = (mapped ?? ip).split(".").map(Number);
  if (isIP(mapped ?? ip) === 4)
    return (
      a === 0 ||
      a === 10 ||
      a === 127 ||
      a >= 224 ||
      (a === 100 && b >= 64 && b < 128) ||
      (a === 169 && b === 254) ||
      (a === 172 && b >= 16 && b < 32) ||
      (a === 192 && (b === 168 || b === 0)) ||
      (a === 198 && (b === 18 || b === 19))
    );
  // Only 2000::/3 is public; 6to4, Teredo and NAT64 can hide any address.
  return !/^[23]/.test(ip) || /^(?:2002|2001:0{0,4}):|^64:ff9b/i.test(ip);
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
