/** Access that a command line needs beyond the sandbox, and the part not allowed yet. */

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../base/guards.ts";
import { listed } from "../base/format.ts";
import type { Access } from "../tools/tool.ts";
import { holds } from "../tools/workspace.ts";
import { coversHostName } from "./hosts.ts";
import type { Line, SimpleCommand } from "./line/line.ts";
import { type GitCall, programName, readGit } from "./line/words.ts";
import { namedOutside, namedSecrets } from "./line/paths.ts";
import { writtenBy } from "./losses.ts";
import { hasCodeOption, needsOf, type NeedyProgram, type ProgramNeeds } from "./programs.ts";
import { reads } from "./reading.ts";
import { isSafe } from "./reading-bare.ts";
import type { SessionRule } from "./rules/rules.ts";
import { findSensitivity, isSecret, runsLater } from "./files/sensitive.ts";
import { readTool } from "./rules/rule.ts";
import type { Situation } from "./verdict.ts";

export type CommandAccess = Extract<Access, { kind: "command" }>;

export type Beyond = {
  /** Programs that make the line leave the sandbox; `leaves` without any: the model asked for it. */
  programs: readonly NeedyProgram[];
  leaves: boolean;
  hosts: readonly string[];
  /** Hosts allowed without a question. */
  free: readonly string[];
  /** Read-only commands for these hosts; and whether one is git, which writes to its own folder. */
  readers: readonly SimpleCommand[];
  fetches: boolean;
  anyHost: boolean;
  /** Extra files and folders: readable, and writable if the line writes. */
  paths: readonly string[];
  /** Paths allowed without a question. */
  freePaths: readonly string[];
  /** Names a folder hidden from every command, such as the home. */
  namesHidden: boolean;
};

export async function findBeyond(
  line: Line,
  access: CommandAccess,
  now: Situation,
): Promise<Beyond> {
  const commands = line.commands;
  const found: ProgramNeeds[] = await Promise.all(
    // Checks use installed packages only.
    commands.map((command) => (reads(command) ? {} : needsOf(command, now.cwd))),
  );
  const { home } = now.folders;
  /** gh and glab cannot work without their configuration. */
  const mayRead = (command: SimpleCommand, { config }: { config?: string }): boolean =>
    config === undefined
      ? line.isPlain && isKnownGit(command, now)
      : isInstalled(command, now.workspace) && existsSync(join(home, config));
  // Behind a system proxy, allowing one host would allow every host.
  const isFree =
    !now.usesProxy &&
    commands.every((command, at) => {
      const free = found[at]?.free;
      return free ? mayRead(command, free) : onlyReads(command, now);
    });
  const frees = isFree ? found.flatMap(({ free }) => free ?? []) : [];
  const left = isFree ? found.filter(({ free }) => !free) : found;
  const readers = commands.filter(
    ({ writes }, at) => isFree && found[at]?.free && writes.every((path) => path === "/dev/null"),
  );
  const { hosts = [], writable = [], outside = false } = access;
  const elsewhere = namedOutside(line, now);
  const shown = elsewhere.filter((path) => whyTooWide(path, now) === null);
  const programs = left.flatMap(({ outside }) => outside ?? []);
  const roots = [now.workspace.root, ...now.workspace.added];
  const calls = commands.filter(isGitCall);
  // Git alone may change any file of the working tree.
  const writesTree =
    line.isPlain &&
    !calls.every(reads) &&
    commands.every(
      (call) => (isKnownGit(call, now) && !runsOthers(call)) || onlyReads(call, now),
    ) &&
    !changesSettings(commands);
  return {
    programs,
    leaves: outside || programs.length > 0,
    hosts: [...new Set([...left.flatMap((needs) => needs.hosts ?? []), ...hosts])],
    free: frees.flatMap(({ hosts }) => hosts),
    readers,
    fetches: readers.some(isGitCall),
    anyHost: left.some(({ anyHost }) => anyHost),
    paths: [
      ...new Set([
        ...writable.filter((path) => !roots.includes(path)),
        ...namedSecrets(line, now),
        ...effectsOf(commands, now),
        ...shown,
      ]),
    ],
    namesHidden: shown.length < elsewhere.length,
    freePaths: [
      ...new Set(frees.flatMap(({ config }) => (config ? join(home, config) : []))),
      ...(writesTree ? roots : []),
    ],
  };
}

const isGitCall = ({ argv }: SimpleCommand): boolean => programName(argv[0] ?? "") === "git";

const isKnownGit = (command: SimpleCommand, { workspace }: Situation): boolean =>
  isGitCall(command) && isInstalled(command, workspace) && !hasCodeOption(command.argv);

/** Git commands and options that run another program, such as a hook, and need no access to every file. */
const runsOthers = ({ argv }: SimpleCommand): boolean => {
  const { verb, args } = readGit(argv.slice(1));
  return /^(?:commit\b|bisect run|rebase (?:.* )?-\w*[xs]|submodule foreach|filter-|difftool|mergetool|(?:merge|pull|cherry-pick) (?:.* )?(?:-\w*s|--strat)|apply|am\b|archive|grep (?:.* )?-[achHiIlLnoEFGPpqrvwWz]*O)/s.test(
    [verb, ...args].join(" "),
  );
};

/** Settings decide which programs git runs, and where it sends to. */
const changesSettings = (commands: readonly SimpleCommand[]): boolean =>
  commands.some(
    (command) => isGitCall(command) && !reads(command) && isSetting(readGit(command.argv.slice(1))),
  );

const isSetting = ({ verb, args }: GitCall): boolean =>
  /^(?:remote|submodule)$/.test(verb) ||
  (verb === "config" && !harmlessSetting.test(args.join(" ")));

const harmlessSetting =
  /^(?:--local |--add )*(?:user\.(?:name|email)|init\.defaultBranch|pull\.(?:rebase|ff)|push\.(?:default|autoSetupRemote)|branch\.\S+\.description) /i;

/** The settings of git, and files that the line writes and other programs run. */
function effectsOf(commands: readonly SimpleCommand[], now: Situation): string[] {
  const written = commands.flatMap((command) => writtenBy(command, now, "effect"));
  const settings = join(now.workspace.root, ".git/config");
  return [
    ...written.filter(
      (path) => now.workspace.areaOf(path) !== "outside" && runsLater(path, now.folders),
    ),
    ...(changesSettings(commands) && existsSync(settings) ? [settings] : []),
  ];
}

/** Runs no code from the workspace. */
const onlyReads = (command: SimpleCommand, now: Situation): boolean =>
  command.argv.length === 0 || (isSafe(command, now) && isInstalled(command, now.workspace));

/** A workspace program of the same name must not get the access of the user's program. */
function isInstalled(
  { argv: [name = ""] }: SimpleCommand,
  workspace: Situation["workspace"],
): boolean {
  if (name.includes("/")) return false;
  const program = Bun.which(name);
  return (
    program === null || workspace.areaOf(attempt(() => realpathSync(program), "")) === "outside"
  );
}

/** System folders, and folders with sockets of other programs. */
const system =
  /^\/(?:$|(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|var\/run|System|Library)(?:\/|$)|(?:tmp|var|var\/tmp|home|Users|opt|srv|mnt|media)$)/;

/** A sentence when a path can never be given to a confined command. */
export function whyTooWide(path: string, { folders, workspace }: Situation): string | null {
  const isTooWide =
    system.test(path) ||
    [folders.home, workspace.root, folders.own].some((kept) => holds(path, kept)) ||
    holds(folders.own, path);
  return isTooWide
    ? `${path} is too broad to be writable in the sandbox; name only what the command writes to.`
    : null;
}

/** Access that no rule or answer has allowed yet. `isAlone`: nothing else would leave the sandbox with its programs. */
export function unmet(
  beyond: Beyond,
  { isAlone, writes }: { isAlone: boolean; writes: boolean },
  { rules, tool, workspace, folders }: Situation,
): Beyond {
  const isGranted = ({ name, text, hasCodeOption }: NeedyProgram): boolean =>
    (!hasCodeOption && rules.allowsCommand(tool, text, "named")) ||
    (name !== null &&
      rules.grants("programs", (rule) => rule.outside && rule.names.includes(name)));
  const programs = beyond.programs.filter((program) => !isAlone || !isGranted(program));
  return {
    ...beyond,
    programs,
    leaves: programs.length > 0 || (beyond.leaves && beyond.programs.length === 0),
    hosts: beyond.hosts.filter(
      (host) =>
        rules.forConnection(host) !== "allow" &&
        !rules.grants("programs", (rule) =>
          rule.hosts.some((name) => coversHostName(name, host) || name === host),
        ),
    ),
    paths: beyond.paths.filter((path) => {
      const isOrdinary = workspace.areaOf(path) === "outside" && !isSecret(path, folders);
      const words = [
        rules.forPath("write", "Write", path),
        writes ? null : rules.forPath("read", readTool, path),
      ];
      return !isOrdinary || !words.includes("allow");
    }),
  };
}

/** No access beyond the sandbox is left to approve. */
export const needsNoExtras = ({ leaves, hosts, anyHost, paths }: Beyond): boolean =>
  !leaves && !anyHost && hosts.length + paths.length === 0;

/** Extra access as sentences for the question; null: none. `show` formats paths. */
export function describeAccess(
  { programs, leaves, hosts, anyHost, paths }: Beyond,
  writes: boolean,
  show: (path: string) => string,
): string | null {
  const names = [...new Set(programs.flatMap(({ name }) => name ?? []))];
  if (leaves) {
    const because = names.length === 0 ? "" : ` because of ${listed(names)}`;
    const reach =
      names.length > 0 && names.every((name) => name.endsWith("(read only)"))
        ? "with your account"
        : "and can use your keys and change any file";
    return `Runs outside the sandbox${because}, ${reach}.`;
  }
  const granted = [
    ...(anyHost
      ? [
          "It has network access to any host, and to servers and sockets of other programs on this machine.",
        ]
      : []),
    ...(hosts.length > 0 ? [`It can reach ${listed(hosts)}.`] : []),
    ...(paths.length > 0
      ? [`It can ${writes ? "write to" : "read"} ${listed(paths.map(show))}.`]
      : []),
  ];
  return granted.length === 0 ? null : ["Runs in the sandbox.", ...granted].join(" ");
}

/** Warning about the paths that the line gets access to. */
export function warningOfPaths(
  paths: readonly string[],
  writes: boolean,
  { folders, workspace }: Situation,
): string | null {
  const kinds = paths.map((path) => findSensitivity(path, folders));
  const at = (kind: string): string =>
    listed(paths.filter((_, index) => kinds[index] === kind).map((path) => workspace.show(path)));
  if (kinds.includes("secret")) return `It can read ${at("secret")}, which may hold secrets.`;
  return writes && kinds.includes("effect")
    ? `Other programs run ${at("effect")}, or read settings from it.`
    : null;
}

/** The narrowest session rule that covers the line; null: allow only this exact line. */
export function ruleBeyond(
  { programs, hosts, paths, anyHost, leaves }: Beyond,
  isAlone: boolean,
  writes: boolean,
): SessionRule | null {
  if (anyHost) return null;
  if (paths.length > 0) {
    const [path = ""] = paths;
    const isFolderOnly = paths.length === 1 && hosts.length === 0 && !leaves;
    const does = writes ? "write" : "read";
    return isFolderOnly ? { kind: "folder", does, folder: path } : null;
  }
  if (!leaves)
    return hosts.length > 0 ? { kind: "programs", names: [], outside: false, hosts } : null;
  const names = programs.flatMap(({ name }) => name ?? []);
  if (!isAlone || names.length === 0 || names.length < programs.length) return null;
  return { kind: "programs", names: [...new Set(names)], outside: true, hosts };
}
