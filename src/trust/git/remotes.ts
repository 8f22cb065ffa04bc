/** Where a repository's remotes lead. */

import { dirname, join } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { findKind, gitFolders, looksBare } from "./git-folders.ts";

/** folder: a repository on this machine, whose hooks a push runs. known: an address of its configuration. */
export type RemoteKind = "folder" | "known" | "other";

const maxConfigBytes = 256 * 1024;

/** By name, the addresses; by the name of a branch, the remote that it uses. */
type Remotes = { addresses: Map<string, string[]>; ofBranches: string[] };

export type Remote = {
  kind: RemoteKind;
  /** Of addresses that need no key; null where one needs it. */
  hosts: readonly string[] | null;
};

/** The remote that `git push` or `git fetch` in `cwd` would talk to; `args`: its words after the subcommand. */
export async function findRemote(cwd: string, args: readonly string[]): Promise<Remote> {
  const { kind, addresses } = await findAddresses(cwd, args);
  const urls = addresses.map((address) => URL.parse(address));
  const isOpen = urls.every((url) => url?.protocol === "https:" && url.username === "");
  return {
    kind,
    hosts: isOpen && urls.length > 0 ? urls.flatMap((url) => url?.hostname ?? []) : null,
  };
}

type Found = { kind: RemoteKind; addresses: readonly string[] };

async function findAddresses(cwd: string, args: readonly string[]): Promise<Found> {
  const config = await findConfig(cwd);
  const option = args.flatMap((arg) => /^--repo=(.*)$/.exec(arg)?.[1] ?? [])[0];
  const name = option ?? args.find((arg) => !arg.startsWith("-"));
  // It gives addresses another beginning, or other files do.
  if (config === null || /^\s*\[(?:url|include|remotes)\b/im.test(config))
    return { kind: "folder", addresses: [] };
  const { addresses, ofBranches } = readRemotes(config);
  const all = [...addresses.values()].flat();
  const known = (found: readonly string[]): Found => ({
    kind: found.every(isElsewhere) ? "known" : "folder",
    addresses: found,
  });
  if (name === undefined) return known([...all, ...ofBranches]);
  const own = addresses.get(name);
  if (own) return known(own);
  if (!isElsewhere(name)) return { kind: "folder", addresses: [] };
  return { kind: all.includes(name) ? "known" : "other", addresses: [name] };
}

/** Addresses in a configuration that git may send to. */
export function listAddresses(config: string): string[] {
  const { addresses, ofBranches } = readRemotes(config);
  return [...addresses.values(), ofBranches].flat();
}

/** Empty where there is no repository; null when it is an unusual one. */
async function findConfig(cwd: string): Promise<string | null> {
  for (let root = cwd; ; root = dirname(root)) {
    if ((await findKind(join(root, ".git"))) !== "missing") {
      const git = await gitFolders(root);
      return git && textOfRegular(join(git.common, "config"), maxConfigBytes);
    }
    if (await looksBare(root)) return null;
    if (root === dirname(root)) return "";
  }
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
