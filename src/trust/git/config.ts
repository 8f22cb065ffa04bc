/** Reads a repository's configuration without git, which would run the programs that it names. */

import { join } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { findRepository } from "./git-folders.ts";

const maxConfigBytes = 256 * 1024;

/** By "section.key", or "section.*.key" with a subsection; sections and keys in lower case. */
type Setting = { name: string; subsection: string; value: string };

/** Null for what git might read in another way: continued lines, escapes, values that end in a comment. */
function readConfig(text: string): Setting[] | null {
  const settings: Setting[] = [];
  let [section, subsection] = ["", ""];
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || /^[#;]/.test(line)) continue;
    const opened = /^\[([a-zA-Z][\w-]*)(?: "([^"\\\n]*)")?\]$/.exec(line);
    if (opened) {
      const [, name = "", sub] = opened;
      section = name.toLowerCase() + (sub === undefined ? "" : ".*");
      subsection = sub ?? "";
      continue;
    }
    const [, key, quoted, plain = ""] =
      /^([a-zA-Z][a-zA-Z0-9-]*)(?:\s*=\s*(?:"([^"\\]*)"|([^"]*)))?$/.exec(line) ?? [];
    if (key === undefined || line.endsWith("\\") || section === "") return null;
    settings.push({ name: `${section}.${key.toLowerCase()}`, subsection, value: quoted ?? plain });
  }
  return settings;
}

const harmless = new RegExp(
  `^(?:${[
    "core\\.(?:repositoryformatversion|bare|logallrefupdates|autocrlf|fsmonitor|hookspath|filemode|ignorecase|longpaths)",
    "core\\.(?:precomposeunicode|preloadindex|protecthfs|protectntfs|quotepath|symlinks|abbrev|compression|eol|safecrlf)",
    "core\\.(?:untrackedcache|commentchar)|remote\\.\\*\\.(?:url|pushurl|prune|gh-resolved|tagopt|fetch|push)",
    "branch\\.\\*\\.(?:rebase|description|gh-merge-base|github-pr-owner-number|merge|pushremote|remote|vscode-merge-base)",
    "(?:user|author)\\.(?:email|name)|color\\.ui|commit\\.(?:gpgsign|verbose)|diff\\.(?:algorithm|renames)|tag\\.gpgsign",
    "feature\\.manyfiles|fetch\\.prune(?:tags)?|gc\\.auto|index\\.version|init\\.defaultbranch|log\\.(?:date|decorate)",
    "merge\\.(?:conflictstyle|ff)|pull\\.(?:ff|rebase)|push\\.(?:autosetupremote|default|followtags)",
    "rebase\\.auto(?:squash|stash)|rerere\\.enabled",
  ].join("|")})$`,
);

/** Values with which these would run a program, or make another folder the working tree. */
const runs = /^core\.bare=(?!false$)|^core\.fsmonitor=(?!(?:true|false)$)|=ext::/i;

/** Whether no setting makes git run a program or use another working tree. */
export const isHarmlessConfig = (text: string): boolean =>
  readConfig(text)?.every(
    ({ name, value }) => harmless.test(name) && !runs.test(`${name}=${value}`),
  ) === true;

/** An address with a password or a token in it. */
export const holdsCredentials = (config: string): boolean =>
  /:\/\/[^/\s@]+@|extraheader|\b(?:password|token)\b/i.test(config.replace(/:\/\/git@/g, "://"));

/** Addresses in a configuration that git may send to, with the names of their remotes. */
export const listAddresses = (config: string): { remote: string; address: string }[] =>
  (readConfig(config) ?? []).flatMap(({ name, subsection, value }) => {
    if (/^remote\.\*\.(?:push)?url$/.test(name)) return { remote: subsection, address: value };
    // Remote names have no slash; "." is the repository itself.
    const isBranch = /^branch\.\*\.(?:push)?remote$/.test(name) && /[/:\\]|^\.\./.test(value);
    return isBranch ? { remote: "", address: value } : [];
  });

/**
 * Hosts that `git push` or `git fetch` in `cwd` would contact; `args`: the words after the subcommand. Null: an address
 * is unknown or local. Empty: an address needs a key.
 */
export async function findRemote(cwd: string, args: readonly string[]): Promise<string[] | null> {
  const repository = await findRepository(cwd);
  const config =
    repository && (await textOfRegular(join(repository.common, "config"), maxConfigBytes));
  // `insteadOf` or an included file may rewrite addresses.
  if (!config || readConfig(config) === null || /^\s*\[(?:url|include|remotes)/im.test(config))
    return null;
  const all = listAddresses(config);
  const option = args.flatMap((arg) => /^--repo=(.*)$/.exec(arg)?.[1] ?? [])[0];
  const name = option ?? args.find((arg) => !arg.startsWith("-"));
  const ofRemote = all.filter(({ remote }) => name === undefined || remote === name);
  const used = ofRemote.length > 0 ? ofRemote : all.filter(({ address }) => address === name);
  if (!used.every(({ address }) => isElsewhere(address))) return null;
  if (name !== undefined && used.length === 0) return null;
  const urls = used.map(({ address }) => URL.parse(address));
  return urls.every((url) => url?.protocol === "https:" && url.username === "")
    ? urls.flatMap((url) => url?.hostname ?? [])
    : [];
}

/** Remote address: a URL with a scheme, or host:path. */
const isElsewhere = (address: string): boolean =>
  /^(?!file:)[a-z][\w+.-]*:\/\//i.test(address) || /^(?![a-z]:|file:)[^/\\]+:(?!:)/i.test(address);
