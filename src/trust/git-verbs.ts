/** The subcommands of git: how they read, write, talk to other repositories and lose work. */

/** The files that git may write; "any file": also those of the working tree that make something run later. */
export type GitAccess = "own data" | "any file";
import { asked, hasOption, type Danger } from "./danger/level.ts";
import { optionList, readArguments, type OptionList } from "./read-only/options.ts";

/** How a subcommand is called so that it needs no approval. */
export type GitReading = {
  list: OptionList;
  /** Its operands: commits and paths, a pattern before them, other names, or none. */
  operands: "commits, paths" | "pattern, commits, paths" | "names" | "none";
  /** It prints what is in files: always, or with one of these options. */
  content: boolean | readonly string[];
  /** Options that are added, so that it starts no other program. */
  add: readonly string[];
  /** One of these has to be given when there are operands. */
  needs?: readonly string[];
};

const time = "--since=text --after=text --until=text --before=text --date=text";

const diff =
  "-p -u -s -U=number -w -b -a -z -R -W -M?=number -C?=number --patch --no-patch --unified=number --raw --stat?=word " +
  "--numstat --shortstat --summary --name-only --name-status --diff-filter=word --color?=word " +
  "--no-color --word-diff?=word --ignore-all-space --ignore-space-change --ignore-blank-lines " +
  "--minimal --patience --histogram --diff-algorithm=word --function-context --text --find-renames?=word " +
  "--no-renames --check --full-index --abbrev?=number -S=text -G=text --pickaxe-all --relative " +
  "--no-ext-diff --no-textconv --compact-summary";

const log =
  `${diff} ${time} -# -n=number -i -E -F -g --oneline --graph --all --branches?=text --tags?=text ` +
  "--remotes?=text --decorate?=word --no-decorate --abbrev-commit --no-abbrev-commit --pretty?=text " +
  "--format=text --author=text --committer=text --grep=text --invert-grep --all-match --merges --no-merges " +
  "--first-parent --reverse --follow --max-count=number --skip=number --topo-order --date-order " +
  "--author-date-order --full-history --left-right --cherry-pick --cherry-mark --left-only --right-only " +
  "--boundary --ancestry-path --not --walk-reflogs --source --parents --children --count --notes?=text --no-notes";

const patches = "-p -u --patch -U --unified -S -G --word-diff -W --function-context --check".split(
  " ",
);

const noPrograms = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

const reading = (
  options: string,
  operands: GitReading["operands"] = "commits, paths",
  more: Partial<GitReading> = {},
): GitReading => ({ list: optionList(options), operands, content: false, add: [], ...more });

const readings: Record<string, GitReading> = {
  status: reading(
    "-s -b -z -u?=word --short --branch --long --show-stash --porcelain?=word --ignored?=word --untracked-files?=word --no-renames --renames --ahead-behind --no-ahead-behind --column --no-column",
    "commits, paths",
    { add: ["--ignore-submodules=all"] },
  ),
  log: reading(log, "commits, paths", { content: patches, add: noPrograms }),
  show: reading(log, "commits, paths", { content: true, add: noPrograms }),
  diff: reading(
    `${diff} --cached --staged --exit-code --quiet --merge-base -1 -2 -3 --ours --theirs --base`,
    "commits, paths",
    { content: true, add: noPrograms },
  ),
  blame: reading(
    `${time} -L=text -w -C -M -e -s -l -t -f -n -p -b --porcelain --line-porcelain --root --show-name --show-number --show-email --abbrev=number`,
    "commits, paths",
    { content: true },
  ),
  grep: reading(
    "-# -i -v -n -c -l -L -o -q -w -h -H -E -F -G -P -a -I -p -W -z -e=text -m=number -A=number -B=number -C=number --cached --ignore-case --line-number --count --files-with-matches --files-without-match --name-only --only-matching --word-regexp --extended-regexp --fixed-strings --perl-regexp --heading --break --show-function --function-context --column --color?=word --no-color --max-depth=number --and --or --not --all-match --no-textconv",
    "pattern, commits, paths",
    { content: true, add: ["--no-textconv"] },
  ),
  "ls-files": reading(
    "-c -d -m -o -s -u -t -v -z --cached --deleted --modified --others --stage --unmerged --exclude-standard --full-name --error-unmatch --eol --directory --no-empty-directory --deduplicate --abbrev?=number",
  ),
  "ls-tree": reading(
    "-d -l -r -t -z --long --name-only --name-status --full-name --full-tree --abbrev?=number",
  ),
  "rev-parse": reading(
    "-q --quiet --verify --abbrev-ref?=word --short?=number --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches?=text --tags?=text --remotes?=text",
    "names",
  ),
  "rev-list": reading(
    `${time} -# -n=number --all --branches?=text --tags?=text --remotes?=text --count --max-count=number --skip=number --left-right --cherry-pick --merges --no-merges --first-parent --reverse --parents --oneline --abbrev-commit --author=text --grep=text --format=text --pretty?=text`,
  ),
  describe: reading(
    "--all --tags --contains --long --always --exact-match --first-parent --abbrev?=number --match=text --exclude=text --candidates=number",
    "names",
  ),
  shortlog: reading(
    `${time} -n -s -e -c --numbered --summary --email --committer --all --no-merges --group=word --author=text`,
  ),
  "merge-base": reading("-a --all --octopus --independent --is-ancestor --fork-point", "names"),
  "name-rev": reading("--tags --name-only --always --no-undefined", "names"),
  "show-ref": reading(
    "-d -s -q --head --heads --tags --branches --verify --hash?=number --dereference --abbrev?=number",
    "names",
  ),
  "for-each-ref": reading(
    "--count=number --sort=text --format=text --merged?=word --no-merged?=word --contains?=word --points-at=word",
    "names",
  ),
  branch: reading(
    "-a -r -v -i --all --remotes --verbose --show-current --list --merged?=text --no-merged?=text --contains?=text --points-at=text --sort=text --format=text --color?=word --no-color --column --no-column",
    "names",
    { needs: ["--list"] },
  ),
  tag: reading(
    "-l -i -n?=number --list --merged?=text --no-merged?=text --contains?=text --points-at=text --sort=text --format=text --color?=word --column --no-column",
    "names",
    { needs: ["-l", "--list"] },
  ),
  reflog: reading(log, "none", { content: patches, add: noPrograms }),
  "stash list": reading(log, "none", { content: patches, add: noPrograms }),
  "stash show": reading("--stat --shortstat --numstat --name-only --name-status", "names"),
  remote: reading("-v --verbose", "none"),
  "remote get-url": reading("--push --all", "names"),
  "worktree list": reading("-v -z --porcelain --verbose", "none"),
  "count-objects": reading("-v -H --verbose --human-readable", "none"),
  "cat-file": reading("-t -s -e", "names", { needs: ["-t", "-s", "-e"] }),
  version: reading("--build-options", "none"),
};

export const gitReadings: ReadonlyMap<string, GitReading> = new Map(Object.entries(readings));

/** Of some verbs the second word says what they do. */
export function findVerb([first = "", second = ""]: readonly string[]): string {
  const double = `${first} ${second}`;
  return gitReadings.has(double) ? double : first;
}

/** Formats and orders that check signatures start gpg; a tag may name a file, whose content is its raw form. */
export const tellsMore = /%G|signature|%\(\*?raw/i;

const onlyNames = /^--(?:stat|shortstat|numstat|name-only|name-status|quiet|summary)$/;

export function printsContent({ content }: GitReading, given: ReadonlySet<string>): boolean {
  return content === true || (content && content.some((option) => given.has(option)));
}

/** Whether a command of git, from its subcommand on, is read-only and prints no content of files. */
export function isQuietVerb(args: readonly string[]): boolean {
  const name = findVerb(args);
  const verb = gitReadings.get(name);
  const read = verb && readArguments(args.slice(name.split(" ").length), verb.list);
  if (!verb || !read || args.some((arg) => tellsMore.test(arg))) return false;
  const { given, operands } = read;
  if (operands.length > 0 && verb.operands === "none") return false;
  const isShort = name === "diff" && [...given].some((option) => onlyNames.test(option));
  if (isShort ? patches.some((option) => given.has(option)) : printsContent(verb, given))
    return false;
  return operands.length === 0 || (verb.needs?.some((option) => given.has(option)) ?? true);
}

type ArgsTest = (args: readonly string[]) => boolean;

/** Whether a word is one of the long options; git takes the beginning of a name for the whole. */
export function isLongOption(word: string, names: readonly string[]): boolean {
  const [start = ""] = word.split("=");
  return start.length > 2 && names.some((name) => name.startsWith(start));
}

/** Whether an option is given by one of its letters or names. */
const gives = (args: readonly string[], letters: string, ...names: string[]): boolean =>
  hasOption(args, letters) || args.some((arg) => isLongOption(arg, names));

/** A subcommand that does more than read. */
type GitChange = {
  /** "own data": objects, refs and index. "any file": the workspace and settings, too. */
  writes: GitAccess;
  /** With these words after it, it prints names at most, and writes files to their own paths only. */
  isMute?: RegExp;
  /** It talks to another repository, with the user's keys. */
  isRemote?: ArgsTest;
  /** It may run what its arguments name, or write there. */
  runs?: true;
  /** With these arguments it is asked about in any case. */
  loses?: ArgsTest;
  /** Continues "This command"; absent: it discards work. */
  why?: string;
  /** The objects themselves are gone then. */
  isFinal?: true;
};

const always: ArgsTest = () => true;
const own = { writes: "own data", isMute: /^/ } as const;
const files = { writes: "any file", isMute: /^/ } as const;
const remote = { writes: "own data", isRemote: always } as const;
const history = {
  writes: "any file",
  loses: always,
  why: "rewrites the history of the repository",
} as const;

const overwrites: ArgsTest = (args) =>
  gives(
    args,
    "fd",
    "--force-with-lease",
    "--force-if-includes",
    "--mirror",
    "--delete",
    "--prune",
  ) || args.some((arg) => /^[+:]\S/.test(arg));

const removesUntracked: ArgsTest = (args) =>
  gives(args, "fdxX", "--force") && !hasOption(args, "n", "--dry-run");

const restoresFiles: ArgsTest = (args) =>
  !hasOption(args, "S", "--staged") || gives(args, "W", "--worktree");

const leavesChanges: ArgsTest = (args) =>
  gives(args, "fBC", "--force", "--force-create", "--discard-changes") ||
  args.includes(".") ||
  args.includes("--");

/** Subcommands of one line are judged alike. */
const table: readonly (readonly [names: string, change: GitChange])[] = [
  ["add,commit,fsck", own],
  ["cherry-pick,init,merge,mv,revert", files],
  ["am,apply,sparse-checkout,symbolic-ref,update-index", { writes: "any file" }],
  ["notes", { writes: "own data" }],
  ["clone,lfs,ls-remote,send-email", remote],
  ["fetch,pull", { ...remote, isMute: /^/ }],
  ["filter-branch,filter-repo,replace", { ...history, runs: true }],
  ["rebase", { ...history, isMute: /^/ }],
  ["reflog delete,reflog drop,reflog expire", { writes: "any file", loses: always, isFinal: true }],
  ["archive", { writes: "own data", isRemote: (args) => gives(args, "", "--remote"), runs: true }],
  ["bisect", { ...files, isMute: /^(?:|start|good|bad|new|old|skip|reset)$/, runs: true }],
  ["branch", { ...files, loses: (args) => gives(args, "DMCf", "--delete", "--force") }],
  ["checkout,switch", { ...files, loses: leavesChanges }],
  ["clean", { ...files, loses: removesUntracked }],
  ["gc", { ...files, loses: (args) => gives(args, "", "--prune", "--aggressive"), isFinal: true }],
  ["prune", { ...files, runs: true, loses: always, isFinal: true }],
  [
    "push",
    {
      ...remote,
      isMute: /^/,
      loses: overwrites,
      why: "overwrites or deletes branches of a remote (git push)",
    },
  ],
  ["remote", { ...files, isRemote: (args) => args.includes("update") }],
  ["reset", { ...files, loses: (args) => gives(args, "", "--hard", "--merge", "--keep") }],
  ["restore", { ...files, loses: restoresFiles }],
  ["rm", { ...files, loses: (args) => gives(args, "rf", "--force") }],
  [
    "stash",
    {
      ...files,
      isMute: /^(?:|push|pop|apply|drop|clear|save|list)$/,
      loses: ([first]) => /^(?:clear|drop)$/.test(first ?? ""),
    },
  ],
  [
    "submodule",
    { writes: "own data", isRemote: ([first]) => !/^(?:status|summary)$/.test(first ?? "") },
  ],
  ["tag", { ...own, loses: (args) => gives(args, "df", "--delete", "--force") }],
  ["update-ref", { writes: "any file", loses: (args) => gives(args, "d", "--delete", "--stdin") }],
  [
    "worktree",
    {
      writes: "any file",
      loses: (args) => args[0] === "remove" && gives(args, "f", "--force"),
    },
  ],
];

const changes: ReadonlyMap<string, GitChange> = new Map(
  table.flatMap(([names, change]) => names.split(",").map((name) => [name, change] as const)),
);

type GitCall = {
  /** From the subcommand on. */
  args: readonly string[];
  /** Nothing before it but the folder that it works in. */
  isPlain: boolean;
  /** Null: it only reads, or is not known. */
  change: GitChange | null;
};

/** Options of git itself with a word of their own, in any version. */
const takesWord =
  /^(?:-c|-C|--(?:git-dir|work-tree|namespace|exec-path|config-env|attr-source|shallow-file|super-prefix))$/;

/** `args`: all words after "git". */
export function readGitCall(args: readonly string[]): GitCall {
  let at = 0;
  let isPlain = true;
  for (let word = args[at]; word?.startsWith("-"); word = args[at]) {
    isPlain &&= /^(?:-C|-P|--no-pager)$/.test(word);
    at += takesWord.test(word) ? 2 : 1;
  }
  const rest = args.slice(at);
  const [verb = "", first = ""] = rest;
  const change = changes.get(`${verb} ${first}`) ?? changes.get(verb) ?? null;
  return { args: rest, isPlain, change };
}

/** Words with which a subcommand prints contents, runs something, or puts files elsewhere. */
const opens = /^-[a-zA-Z]*[pvuUeix]|^--(?:patch|verb|unif|dry|edit|inter|ex|show-c|dir)|subtree/;

/** Whether a call shows no content of files, and copies none to another path. */
export function isMuteGit(args: readonly string[]): boolean {
  const { args: rest, isPlain, change } = readGitCall(args);
  if (!isPlain || rest.some((word) => tellsMore.test(word))) return false;
  const [, first = ""] = rest;
  const isMute = change?.isMute?.test(first.startsWith("-") ? "" : first);
  return isQuietVerb(rest) || (isMute === true && !rest.some((word) => opens.test(word)));
}

/** Options that name a program or a folder of hooks. */
export const runningOptions = ["--exec", "--upload-pack", "--receive-pack", "--template"];

/** With these a call runs another program, or has git write a file that they name. */
const notAlone = [
  ...runningOptions,
  "--strategy",
  "--strategy-option",
  "--output",
  "--build-fake-ancestor",
  "--unsafe-paths",
];

/** Whether a call runs no other program than git, and has git write no file that an option names. */
export function runsOnlyGit(args: readonly string[]): boolean {
  const { args: rest, isPlain, change } = readGitCall(args);
  if (!isPlain || rest.some((word) => isLongOption(word, notAlone))) return false;
  const [verb = ""] = rest;
  if (/^(?:rebase|merge)$/.test(verb) && rest.some((word) => /^-\w*[xs]/.test(word))) return false;
  if (change) return !change.runs && !change.isRemote?.(rest.slice(1));
  if (verb === "config")
    return harmlessSetting.test(rest.slice(1).filter((word) => !/^--\w/.test(word))[0] ?? "");
  return readsOnly(rest);
}

const harmlessSetting = /^(?:user|branch|push|pull|init)\.\S+$/;

function readsOnly(args: readonly string[]): boolean {
  const name = findVerb(args);
  const reading = gitReadings.get(name);
  return reading ? readArguments(args.slice(name.split(" ").length), reading.list) !== null : false;
}

/** Subcommands that do nothing but read, unless an option says otherwise. */
export function isReadingVerb(args: readonly string[]): boolean {
  const name = findVerb(args);
  return gitReadings.has(name) && !changes.has(name);
}

/** Work that git itself could not restore after a call. */
export function gitLoss(args: readonly string[]): Danger | null {
  const { args: rest, change } = readGitCall(args);
  if (!change?.loses?.(rest.slice(1))) return null;
  const danger = asked(change.why ?? "discards work that git cannot restore");
  return change.isFinal ? { ...danger, isFinal: true } : danger;
}
