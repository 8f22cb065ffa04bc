import { isIP } from "node:net";
import { ToolError } from "../tool.ts";
import { isLocalAddress, isLocalHost } from "./address.ts";

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
