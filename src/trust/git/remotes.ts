/** Where a repository's remotes lead. */

import { join } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { findRepository } from "./git-folders.ts";

const maxConfigBytes = 256 * 1024;

/** By name, the addresses; by the name of a branch, the remote that it uses. */
type Remotes = { addresses: Map<string, string[]>; ofBranches: string[] };

/**
 * The hosts that `git push` or `git fetch` in `cwd` would talk to; `args`: its words after the subcommand. Null: not
 * only addresses that the repository knows on other machines. Empty: an address that needs a key is among them.
 */
export async function findRemote(cwd: string, args: readonly string[]): Promise<string[] | null> {
  const repository = await findRepository(cwd);
  const config =
    repository && (await textOfRegular(join(repository.common, "config"), maxConfigBytes));
  // It gives addresses another beginning, or other files do.
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
    // A name of a remote has no slash; the dot is the repository itself.
    if (section === "branch" && /^(?:push)?remote$/i.test(key) && /[/:\\]|^\.\./.test(value))
      ofBranches.push(value);
  }
  return { addresses, ofBranches };
}

/** On another machine: an address with a scheme, or a host and a path. */
const isElsewhere = (address: string): boolean =>
  /^(?!file:)[a-z][\w+.-]*:\/\//i.test(address) || /^(?![a-z]:|file:)[^/\\]+:(?!:)/i.test(address);
