/** Which web addresses may be read, and which are local. */

import { isIP } from "node:net";
import { ToolError } from "../tool.ts";

/** Throws `ToolError`. */
export function parseWebAddress(text: string): URL {
  if (!URL.canParse(text))
    throw new ToolError(`“${text}” is not an address such as https://example.com/page.`);
  const url = new URL(text);
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
