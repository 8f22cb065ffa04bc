/** Git subcommands that need no approval, and the options with which they are read-only. */

import { optionList, readArguments, type OptionList } from "./options.ts";

export type GitVerb = {
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

const verb = (
  options: string,
  operands: GitVerb["operands"] = "commits, paths",
  more: Partial<GitVerb> = {},
): GitVerb => ({ list: optionList(options), operands, content: false, add: [], ...more });

const table: Record<string, GitVerb> = {
  status: verb(
    "-s -b -z -u?=word --short --branch --long --show-stash --porcelain?=word --ignored?=word --untracked-files?=word --no-renames --renames --ahead-behind --no-ahead-behind --column --no-column",
    "commits, paths",
    { add: ["--ignore-submodules=all"] },
  ),
  log: verb(log, "commits, paths", { content: patches, add: noPrograms }),
  show: verb(log, "commits, paths", { content: true, add: noPrograms }),
  diff: verb(
    `${diff} --cached --staged --exit-code --quiet --merge-base -1 -2 -3 --ours --theirs --base`,
    "commits, paths",
    { content: true, add: noPrograms },
  ),
  blame: verb(
    `${time} -L=text -w -C -M -e -s -l -t -f -n -p -b --porcelain --line-porcelain --root --show-name --show-number --show-email --abbrev=number`,
    "commits, paths",
    { content: true },
  ),
  grep: verb(
    "-# -i -v -n -c -l -L -o -q -w -h -H -E -F -G -P -a -I -p -W -z -e=text -m=number -A=number -B=number -C=number --cached --ignore-case --line-number --count --files-with-matches --files-without-match --name-only --only-matching --word-regexp --extended-regexp --fixed-strings --perl-regexp --heading --break --show-function --function-context --column --color?=word --no-color --max-depth=number --and --or --not --all-match --no-textconv",
    "pattern, commits, paths",
    { content: true, add: ["--no-textconv"] },
  ),
  "ls-files": verb(
    "-c -d -m -o -s -u -t -v -z --cached --deleted --modified --others --stage --unmerged --exclude-standard --full-name --error-unmatch --eol --directory --no-empty-directory --deduplicate --abbrev?=number",
  ),
  "ls-tree": verb(
    "-d -l -r -t -z --long --name-only --name-status --full-name --full-tree --abbrev?=number",
  ),
  "rev-parse": verb(
    "-q --quiet --verify --abbrev-ref?=word --short?=number --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches?=text --tags?=text --remotes?=text",
    "names",
  ),
  "rev-list": verb(
    `${time} -# -n=number --all --branches?=text --tags?=text --remotes?=text --count --max-count=number --skip=number --left-right --cherry-pick --merges --no-merges --first-parent --reverse --parents --oneline --abbrev-commit --author=text --grep=text --format=text --pretty?=text`,
  ),
  describe: verb(
    "--all --tags --contains --long --always --exact-match --first-parent --abbrev?=number --match=text --exclude=text --candidates=number",
    "names",
  ),
  shortlog: verb(
    `${time} -n -s -e -c --numbered --summary --email --committer --all --no-merges --group=word --author=text`,
  ),
  "merge-base": verb("-a --all --octopus --independent --is-ancestor --fork-point", "names"),
  "name-rev": verb("--tags --name-only --always --no-undefined", "names"),
  "show-ref": verb(
    "-d -s -q --head --heads --tags --branches --verify --hash?=number --dereference --abbrev?=number",
    "names",
  ),
  "for-each-ref": verb(
    "--count=number --sort=text --format=text --merged?=word --no-merged?=word --contains?=word --points-at=word",
    "names",
  ),
  branch: verb(
    "-a -r -v -i --all --remotes --verbose --show-current --list --merged?=text --no-merged?=text --contains?=text --points-at=text --sort=text --format=text --color?=word --no-color --column --no-column",
    "names",
    { needs: ["--list"] },
  ),
  tag: verb(
    "-l -i -n?=number --list --merged?=text --no-merged?=text --contains?=text --points-at=text --sort=text --format=text --color?=word --column --no-column",
    "names",
    { needs: ["-l", "--list"] },
  ),
  reflog: verb(log, "none", { content: patches, add: noPrograms }),
  "stash list": verb(log, "none", { content: patches, add: noPrograms }),
  "stash show": verb("--stat --shortstat --numstat --name-only --name-status", "names"),
  remote: verb("-v --verbose", "none"),
  "remote get-url": verb("--push --all", "names"),
  "worktree list": verb("-v -z --porcelain --verbose", "none"),
  "count-objects": verb("-v -H --verbose --human-readable", "none"),
  "cat-file": verb("-t -s -e", "names", { needs: ["-t", "-s", "-e"] }),
  version: verb("--build-options", "none"),
};

export const gitVerbs: ReadonlyMap<string, GitVerb> = new Map(Object.entries(table));

/** Of some verbs the second word says what they do. */
export function findVerb([first = "", second = ""]: readonly string[]): string {
  const double = `${first} ${second}`;
  return gitVerbs.has(double) ? double : first;
}

const onlyNames = /^--(?:stat|shortstat|numstat|name-only|name-status|quiet|summary)$/;

export function printsContent({ content }: GitVerb, given: ReadonlySet<string>): boolean {
  return content === true || (content && content.some((option) => given.has(option)));
}

/** Whether a command of git, from its subcommand on, is read-only and prints no content of files. */
export function isQuietVerb(args: readonly string[]): boolean {
  const name = findVerb(args);
  const verb = gitVerbs.get(name);
  const read = verb && readArguments(args.slice(name.split(" ").length), verb.list);
  if (!verb || !read) return false;
  const { given, operands } = read;
  if (operands.length > 0 && verb.operands === "none") return false;
  const isShort = name === "diff" && [...given].some((option) => onlyNames.test(option));
  if (isShort ? patches.some((option) => given.has(option)) : printsContent(verb, given))
    return false;
  return operands.length === 0 || (verb.needs?.some((option) => given.has(option)) ?? true);
}
