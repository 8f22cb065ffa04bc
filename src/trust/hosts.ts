/** Which hosts a command connects to, as far as its words show. */

import { canonicalHost, namedHost } from "../tools/web/address.ts";

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

/** The hosts that a package manager contacts; null for one that is not listed. */
export const registryHosts = (program: string): readonly string[] | null =>
  registries.get(program) ?? null;

/** Words of a downloader that name an address. */
export function hostsOfUrls(words: readonly string[]): { hosts: string[]; isClear: boolean } {
  const urls = words.filter((word) => /^https?:\/\//i.test(word));
  const isClear = urls.length > 0 && urls.every((url) => URL.canParse(url) && !/[$`]/.test(url));
  return { hosts: isClear ? urls.map((url) => canonicalHost(new URL(url))) : [], isClear };
}

/** Whether a host is the sandbox's own localhost. Linux only: elsewhere the sandbox shares the machine's. */
export const isLoopback = (host: string): boolean =>
  process.platform === "linux" &&
  (host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host));

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
