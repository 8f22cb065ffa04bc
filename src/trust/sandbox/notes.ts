/** Notes that name the variables, files and hosts withheld by the sandbox, so that the model can ask for them. */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { listed } from "../../base/format.ts";
import { holds } from "../../tools/workspace.ts";

/** Withheld from a confined command. */
export type KeptBack = {
  /** Variables that were removed from its environment. */
  variables: readonly string[];
  /** Files with secrets, replaced by empty ones. */
  files: readonly string[];
  /** The workspace was writable. */
  write: boolean;
  home: string;
  /** After the command: removes files that would redirect git. */
  removeTraps(): string[];
};

type EndedCommand = {
  command: string;
  cwd: string;
  failed: boolean;
  output: string;
  kept: KeptBack;
  /** Reasons for refused connections, one sentence per host. */
  refusals: readonly string[];
  /** Files written to the sandbox's home. */
  homeFiles: readonly string[];
};

const note = (text: string): string => `\n[${text}]`;

export function sandboxNotes(ended: EndedCommand): string {
  const { failed, refusals, homeFiles } = ended;
  const notStarted = failed ? /^bwrap: .*/m.exec(ended.output)?.[0] : undefined;
  if (notStarted !== undefined)
    return note(
      `The sandbox could not start (${notStarted}): ${again} sandbox: false, which needs approval.`,
    );
  const found = [
    ...variableNote(ended),
    ...(failed ? [...fileNote(ended), ...pathNotes(ended), ...hostNote(ended)] : []),
    ...noteOn(
      refusals,
      () =>
        `The sandbox refused connections: ${refusals.join(" ")} To reach a public host, ${again} hosts.`,
    ),
  ];
  if (failed && found.length === 0 && blocked.test(ended.output)) found.push(generalNote(ended));
  return [
    ...found,
    ...noteOn(
      homeFiles.map((file) => `~/${file}`),
      (files) =>
        `Not saved to the real home: ${files}. The sandbox's home is removed when the session ends; to write there, ${again} writable.`,
    ),
    ...noteOn(
      ended.kept.removeTraps(),
      (files) => `Removed, as it would lead git elsewhere: ${files}.`,
    ),
  ]
    .map(note)
    .join("");
}

const again = "send the command again with";

/** Lists the first names and counts the rest. */
const some = (names: readonly string[], most = 3): string =>
  names.length > most
    ? `${names.slice(0, most).join(", ")} and ${names.length - most} more`
    : listed(names);

/** A note with the names as text and as a JSON list for the model; none without names. */
const noteOn = (
  names: readonly string[],
  write: (words: string, list: string) => string,
): string[] => (names.length === 0 ? [] : [write(some(names), JSON.stringify(names.slice(0, 3)))]);

/** Variables named by the command or, if it failed, by its output. */
function variableNote({ command, failed, output, kept }: EndedCommand): string[] {
  const text = failed ? `${command}\n${output}` : command;
  const named = kept.variables.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  if (named.length === 0) return [];
  const [are, they, them] = named.length === 1 ? ["is", "it", "it"] : ["are", "they", "them"];
  return [
    `${listed(named)} ${are} not set in the sandbox, because ${they} may be secret. The user can keep ${them} with the ` +
      "setting keepVariables, or the command can run with sandbox: false.",
  ];
}

/** Hidden files named by the command or its output. */
function fileNote({ command, cwd, output, kept }: EndedCommand): string[] {
  const text = `${command}\n${output}`;
  const named = kept.files
    .filter((path) => text.includes(basename(path)))
    .map((path) => (holds(cwd, path) ? path.slice(cwd.length + 1) : path));
  return noteOn(
    named,
    (files, list) =>
      `Hidden in the sandbox, because of secrets in it: ${files}. If the command needs that, ${again} writable: ${list}, which needs approval.`,
  );
}

const readOnly =
  /(?:["'‘`]?([^\s"'‘’`:]+)["'’`]?: (?:Read-only file system|Device or resource busy)|EROFS[^\n]*?["']([^"']+)["'])/g;

/** Read-only paths, and paths that exist only in the real home. */
function pathNotes({ cwd, output, kept }: EndedCommand): string[] {
  const paths = (found: Iterable<RegExpMatchArray>): string[] => [
    ...new Set([...found].flatMap(([, quoted, named]) => quoted ?? named ?? [])),
  ];
  const fixed = paths(output.matchAll(readOnly));
  const inHome = new RegExp(`(${RegExp.escape(kept.home)}/[^\\s"':,;)\\]]+)`, "g");
  const absent = paths(output.matchAll(inHome)).filter(
    (path) =>
      !holds(cwd, path) && /no such file|ENOENT|not found|cannot/i.test(output) && existsSync(path),
  );
  return [
    ...noteOn(fixed, (files, list) =>
      kept.write
        ? `Read-only in the sandbox: ${files}. Files that other programs execute are changed with Write or Edit, or ${again} writable: ${list} or sandbox: false; all need approval.`
        : `This ran without a question, so nothing in the workspace was writable: ${files}. If it has to write, ${again} writable: ["."], which needs approval.`,
    ),
    ...noteOn(
      absent,
      (files, list) =>
        `Hidden in the sandbox, whose home is empty: ${files}. To use it, ${again} writable: ${list}, or with sandbox: false.`,
    ),
  ];
}

const unresolved =
  /(?:could not resolve host(?:name)?:? |getaddrinfo \w+ |failed to lookup address[^\n]*?|dial tcp: lookup |unable to resolve[^\n]*? )["'“]?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi;

function hostNote({ output }: EndedCommand): string[] {
  const hosts = [
    ...new Set([...output.matchAll(unresolved)].map(([, host = ""]) => host.toLowerCase())),
  ];
  return noteOn(
    hosts,
    (names, list) =>
      `The sandbox has no network: ${names}. To reach ${hosts.length === 1 ? "it" : "them"}, ${again} hosts: ${list}.`,
  );
}

/** Error messages typical of sandbox denials. */
const blocked =
  /read-only file system|EROFS|operation not permitted|EPERM|permission denied|EACCES|network is unreachable|ENETUNREACH|could not resolve|EAI_AGAIN|name resolution|getaddrinfo|resource busy|no such process|(?:127\.0\.0\.1|localhost|::1).*refused|ECONNREFUSED|(?:\.(?:config|ssh|aws|docker|kube)\b|\/tmp\/).*no such file/i;

const generalNote = ({ kept }: EndedCommand): string =>
  kept.write
    ? "This ran in the session's sandbox: it writes only to the workspace and to /tmp, the home is empty, there is no " +
      "network, and process ids and localhost are the sandbox's own. If that is why it failed, " +
      `${again} hosts (names), with writable (paths) or, if it needs more than that, with sandbox: false.`
    : "This ran without a question, so it could write nothing in the workspace, saw no files with secrets and had no " +
      `network. If that is why it failed, ${again} writable: ["."] or hosts, which needs approval.`;
