/** Which hosts a command connects to, as far as its words show. */

import { canonicalHost, isLocalHost, namedHost } from "../tools/web/address.ts";
import type { NetworkAccess } from "../tools/tool.ts";

const npm = ["registry.npmjs.org", "registry.yarnpkg.com"];
const python = ["pypi.org", "files.pythonhosted.org"];

/** Hosts from which package managers download. Managers that are not listed may contact any host. */
const registries: ReadonlyMap<string, readonly string[]> = new Map([
  ...["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"].map((name) => [name, npm] as const),
  ...["pip", "pip3", "pipx", "uv", "uvx", "poetry", "pipenv"].map(
    (name) => [name, python] as const,
  ),
  ["cargo", ["index.crates.io", "static.crates.io", "crates.io"]],
  ["go", ["proxy.golang.org", "sum.golang.org"]],
  ["gem", ["rubygems.org", "index.rubygems.org"]],
  ["bundle", ["rubygems.org", "index.rubygems.org"]],
]);

/** Package registries: harmless enough to be allowed once for a project. */
export const isRegistry = (host: string): boolean =>
  [...registries.values()].some((hosts) => hosts.includes(host));

const downloaders = /^(?:curl|wget|https?|xh)$/;
const plainHost = /^[a-z0-9.-]+$/;

/** The hosts of a command that needs the network; `name`: its program. */
export function registryHosts(name: string, words: readonly string[]): NetworkAccess {
  const known = registries.get(name);
  if (known) return known;
  if (!downloaders.test(name)) return "any";
  const urls = words.filter((word) => /^https?:\/\//i.test(word));
  if (urls.length === 0 || !urls.every((url) => URL.canParse(url))) return "any";
  const hosts = urls.map((url) => canonicalHost(new URL(url)));
  const others = hosts.filter((host) => !isLoopback(host));
  // The commands of a session reach each other; its own network does not lead to the local one.
  if (others.length === 0) return "off";
  return others.every((host) => plainHost.test(host) && !isLocalHost(host)) ? others : "any";
}

/** Where a sandbox has a network of its own. */
const isLoopback = (host: string): boolean =>
  process.platform === "linux" &&
  (host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host));

/** Network access that is enough for both. */
export function widerAccess(first: NetworkAccess, second: NetworkAccess): NetworkAccess {
  if (first === "any" || second === "any") return "any";
  if (first === "off") return second;
  return second === "off" ? first : [...new Set([...first, ...second])];
}

/** `*.example.com` covers what is below it. */
export const coversHostName = (name: string, host: string): boolean =>
  name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;

/** A host, or `*.` and one, as a model names it; null for anything else. */
export function hostName(text: string): string | null {
  const [, below = "", rest = ""] = /^(\*\.)?(.*)$/.exec(text) ?? [];
  const name = namedHost(rest);
  if (name === null || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(name)) return null;
  return below !== "" && !name.includes(".") ? null : below + name;
}
