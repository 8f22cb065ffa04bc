/** Hosts of a repository's remotes. */

import { join } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { findRepository } from "./git-folders.ts";

const maxConfigBytes = 256 * 1024;

/** Addresses by remote name; remote by branch name. */
type Remotes = { addresses: Map<string, string[]>; ofBranches: string[] };

/**
 * Hosts that `git push` or `git fetch` in `cwd` would contact; `args`: the words after the subcommand. Null: an address
 * is unknown or local. Empty: an address needs a key.
 */
export async function findRemote(cwd: string, args: readonly string[]): Promise<string[] | null> {
  const repository = await findRepository(cwd);
  const config =
    repository && (await textOfRegular(join(repository.common, "config"), maxConfigBytes));
  // `insteadOf` or an included file may rewrite addresses.
  if (config === null || /^\s*\[(?:url|include|remotes)\b/im.test(config)) return null;
  const { addresses, ofBranches } = readRemotes(config);
  const all = [...addresses.values(), ofBranches].flat();
  const option = args.flatMap((arg) => /^--repo=(.*)$/.exec(arg)?.[1] ?? [])[0];
  const name = option ?? args.find((arg) => !arg.startsWith("-"));
  const used =
    name === undefined ? all : (addresses.get(name) ?? all.filter((address) => address === name));
  if (!used.every(isElsewhere) || (name !== undefined && used.length === 0)) return null;
  const urls = used.map((address) => URL.parse(address));
  return urls.every((url) => url?.protocol === "https:" && url.username === "")
    ? urls.flatMap((url) => url?.hostname ?? [])
    : [];
}

/** Addresses in a configuration that git may send to. */
export function listAddresses(config: string): string[] {
  const { addresses, ofBranches } = readRemotes(config);
  return [...addresses.values(), ofBranches].flat();
}

function readRemotes(config: string): Remotes {
  const addresses = new Map<string, string[]>();
  const ofBranches: string[] = [];
  let section = "";
  let name = "";
  for (const line of config.split("\n")) {
    const [, kind, quoted = ""] = /^\s*\[([\w-]+)(?:\s+"(.*)")?\]/.exec(line) ?? [];
    if (kind !== undefined) [section, name] = [kind.toLowerCase(), quoted];
    const [, key = "", value = ""] = /^\s*(\w+)\s*=\s*"?(.*?)"?\s*$/.exec(line) ?? [];
    if (section === "remote" && /^(?:push)?url$/i.test(key))
      addresses.set(name, [...(addresses.get(name) ?? []), value]);
    // Remote names have no slash; "." is the repository itself.
    if (section === "branch" && /^(?:push)?remote$/i.test(key) && /[/:\\]|^\.\./.test(value))
      ofBranches.push(value);
  }
  return { addresses, ofBranches };
}

/** Remote address: a URL with a scheme, or host:path. */
const isElsewhere = (address: string): boolean =>
  /^(?!file:)[a-z][\w+.-]*:\/\//i.test(address) || /^(?![a-z]:|file:)[^/\\]+:(?!:)/i.test(address);
