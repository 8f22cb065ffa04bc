/**
 * Read-only lines that may run unasked without a sandbox: every word is literal, no program can do anything but
 * read with the given options, and every file is in the workspace and holds no secret.
 */

import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { currentEnvironment } from "../base/environment.ts";
import { attempt } from "../base/guards.ts";
import { textOfRegular } from "../base/regular-file.ts";
import { isSecret } from "./files/sensitive.ts";
import { findRepository } from "./git/git-folders.ts";
import { runGit } from "./git/run.ts";
import { holdsCredentials, isHarmlessConfig } from "./git/config.ts";
import type { Line, SimpleCommand } from "./line/line.ts";
import { operandsOf, readGit } from "./line/words.ts";
import { pathOf } from "./line/paths.ts";
import { gitReading } from "./reading.ts";
import { readTool } from "./rules/rule.ts";
import type { Situation } from "./verdict.ts";

const safe =
  /^(?::|\[|\[\[|column|fold|rev|tac|ls|cat|head|tail|wc|pwd|cd|echo|printf|true|false|test|basename|dirname|realpath|readlink|stat|cut|tr|nl|whoami|id|uname|[ef]?grep|which|sort|uniq|date|du|sleep|cmp|diff|find|sed|jq|rg|git)$/;

/** Programs that print names, not contents. */
const namesOnly =
  /^(?::|\[|\[\[|ls|cd|echo|printf|test|basename|dirname|stat|realpath|readlink|which|du|find|sleep)$/;

/** A line address in a sed script. */
const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`;

const sedCommand = `(?:${address}(?:,${address})?)?[pdq=]`;

/** Sed commands that print, leave out or end. */
const printing = new RegExp(`^${sedCommand}(?:; *${sedCommand})*(?:; *)?$`);

/** Options with which branches and tags are listed, and those that make their operands patterns. */
const listing =
  /^(?:-[arvilnq]+\d*|--(?:all|remotes|verbose|show-current|list|(?:no-)?(?:color|column|abbrev|contains|merged)|ignore-case|sort|format|points-at)(?:=.*)?)$/s;
const patterns = /^(?:-\w*[ln]|--(?:list|(?:no-)?(?:contains|merged)|points-at)(?:=.*)?)$/s;

/**
 * Options with which git only reads. Others could run a program (`--ext-diff`), write (`--output`) or read other
 * files (`--no-index`), also abbreviated.
 */
const gitOptions = new Set(
  (
    "abbrev abbrev-commit abbrev-ref absolute-git-dir after after-context ahead-behind all all-match always " +
    "ancestry-path and author base basic-regexp batch batch-check before before-context binary boundary branch " +
    "branches break build-options cached cc check cherry cherry-mark cherry-pick color color-moved color-words column " +
    "committer compact-summary contains context count date date-order decorate decorate-refs deleted dereference " +
    "diff-algorithm diff-filter diff-merges directory dirstat dirty dst-prefix email encoding error-unmatch " +
    "exact-match exclude exclude-standard exit-code expand-tabs extended-regexp files-with-matches " +
    "files-without-match find-copies find-copies-harder find-object find-renames first-parent fixed-strings follow " +
    "fork-point format full-history full-index full-name full-tree function-context git-common-dir git-dir git-path " +
    "glob graph grep hash heading heads histogram human-readable ignore-all-space ignore-blank-lines ignore-case " +
    "ignore-missing ignore-rev ignore-space-at-eol ignore-space-change ignore-submodules ignored independent " +
    "invert-grep invert-match is-ancestor is-bare-repository is-inside-git-dir is-inside-work-tree " +
    "is-shallow-repository left-only left-right line-number line-porcelain line-prefix list long match max-count " +
    "max-depth max-parents merge merge-base merged merges min-parents minimal modified name-only name-status not " +
    "notes null numbered numstat objects octopus omit-empty oneline only-matching or others ours parents patch " +
    "patch-with-raw patch-with-stat path-format patience perl-regexp pickaxe-all pickaxe-regex points-at porcelain " +
    "pretty push quiet raw recursive reflog regexp-ignore-case relative relative-date remerge-diff remotes reverse " +
    "right-only root short shortstat show-cdup show-current show-email show-function show-notes show-object-format " +
    "show-prefix show-pulls show-stash show-superproject-working-tree show-toplevel simplify-by-decoration since skip " +
    "sort source src-prefix stage staged stat stat-width stdin submodule summary symbolic symbolic-full-name tags " +
    "text theirs topo-order unified unmerged until untracked-files verbose verify walk-reflogs with-tree word-diff " +
    "word-diff-regex word-regexp"
  ).split(" "),
);

/** Options that make a program write, wait, run other programs or read other files. */
const unsafe = new RegExp(
  `^(?:${[
    "[ef]?grep .*(?<= )(?:-\\w*[fDR]|--(?:f|d))",
    "sort .*(?<= )(?:-\\w*[oT]|--(?:o|c|f|t|b))|cd (?:- |$)|cd \\S+ \\S",
    // A second file would be written.
    "uniq (?!(?:-[cdDiuz]+ |-[fsw] ?\\d+ |--(?:count|repeated|unique|ignore-case|(?:skip-fields|skip-chars|check-chars)[= ]\\d+) )*(?:[^- ]\\S* )?$)",
    "tail .*(?<= )(?:-\\w*[fF]|--[fr])",
    "(?:wc|du) .*(?<= )--f|date .*(?<= )(?:-\\w*[sfr]|--(?:s|f|r)|(?<!-d )\\d)|printf -v|diff .*(?<= )(?:-\\w*[rN]|--(?:rec|from|to))",
    "find .*(?<= )-(?:exec|ok|delete|f(?:print|ls)|files0|L|follow)",
    "rg .*(?<= )(?:-\\w*[fLz.u]|--(?:pre|file|follow|search-zip|hidden|no-ignore|unrestricted|hostname))",
    "jq .*(?:\\benv\\b|\\$ENV|\\binput|\\bimport\\b|\\binclude\\b|(?<= )-\\w*[fL]|--(?:from|slurpfile|rawfile|args|jsonargs))",
    "git .*(?<= )-O|git (?:-C \\S+ |-\\S+ )*grep .*(?<= )-[achHiIlLnoEFGPpqrvwWz]*O",
    // Formats and sort keys that run gpg, or print a file.
    "git .*(?:%(?:G|\\(\\*?(?:raw|sig))|--sort[= ]-?\\*?sig)",
  ].join("|")})`,
  // Words may hold line breaks.
  "s",
);

/** Whether the line may run. `forges`: its read-only gh and glab commands. */
export async function readsBare(
  line: Line,
  forges: readonly SimpleCommand[],
  now: Situation,
): Promise<boolean> {
  const isKnown = (command: SimpleCommand): boolean =>
    forges.includes(command) ? !opensBrowser.test(command.argv.join(" ")) : isSafe(command, now);
  if (!line.isPlain || !line.commands.every(isKnown)) return false;
  // After a failed cd, the shell stays in its folder.
  const moves = line.commands.some(({ argv }) => argv[0] === "cd");
  if (moves && line.commands.some(({ argv }) => argv.some((word) => word.includes(".."))))
    return false;
  const calls = line.commands.filter(({ argv }) => argv[0] === "git");
  const folders = calls.flatMap((call) => {
    const from = readGit(call.argv.slice(1)).folders;
    return [".", ...from].flatMap((folder) => pathOf(folder, call, now) ?? []);
  });
  // gh and glab call git.
  if (calls.length + forges.length > 0) folders.push(now.cwd);
  const shows = calls.some(({ argv }) => !printsNoContent.test(readGit(argv.slice(1)).verb));
  for (const folder of new Set(folders)) if (!(await isQuiet(folder, shows, now))) return false;
  return true;
}

/** Git subcommands that print no file contents. */
const printsNoContent =
  /^(?:status|rev-parse|rev-list|ls-files|ls-tree|merge-base|show-ref|branch|tag|remote|describe|worktree)$/;

const opensBrowser = / (?:-\w*w|--web)(?: |$)/;

const maxConfigBytes = 64 * 1024;

/** Whether git runs no configured program in this folder, and `shows` no file that may hold secrets. */
async function isQuiet(
  folder: string,
  shows: boolean,
  { workspace, folders }: Situation,
): Promise<boolean> {
  const repository = await findRepository(folder);
  if (repository === null || workspace.areaOf(repository.root) === "outside") return false;
  const config = await textOfRegular(join(repository.common, "config"), maxConfigBytes);
  if (config === null || !isHarmlessConfig(config) || holdsCredentials(config)) return false;
  const hooks = [...config.matchAll(/^\s*hookspath\s*=\s*"?(.+?)"?\s*$/gim)].map(
    ([, at = ""]) => at,
  );
  // The only hook that reading runs: git refreshes the index.
  const isHooked = [join(repository.common, "hooks"), ...hooks].some((at) =>
    existsSync(join(resolve(repository.root, at.replace(/^~/, folders.home)), "post-index-change")),
  );
  if (isHooked) return false;
  const { PATH = "", HOME = "" } = currentEnvironment();
  const tracked = await runGit(repository.root, ["ls-files", "-sz"], { PATH, HOME });
  return (tracked?.split("\0") ?? ["160000"]).every((entry) => {
    // Git enters submodules, which have a configuration of their own.
    if (entry.startsWith("160000")) return false;
    return !shows || !isSecret(join(repository.root, entry.replace(/^.*?\t/, "")), folders);
  });
}

export function isSafe(command: SimpleCommand, now: Situation): boolean {
  const { argv, isLiteral, inputs, writes } = command;
  const [name = "", ...args] = argv;
  const text = argv.join(" ");
  if (writes.some((path) => path !== "/dev/null") || !safe.test(name)) return false;
  if (!isLiteral && !namesOnly.test(name)) return false;
  if (unsafe.test(`${text} `) || (name === "git" && !readsPlainly(args))) return false;
  if (name === "sed" && !printsLines(args)) return false;
  if (/^(?:echo|printf|sleep|true|false|:)$/.test(name) && inputs.length === 0) return true;
  const words = [...filesOf(name, args), ...inputs].flatMap((word) => [
    word,
    ...word.split(/[:=]/).filter(Boolean),
  ]);
  if (isDeep(name, args) && !namesFolder(args)) words.push(".");
  const paths = words.flatMap((word) =>
    // After a symlink, `..` leads elsewhere.
    /[^./].*\.\.(?:\/|$)/.test(word) ? null : pathsOf(word, command, now),
  );
  if (!paths.every((path) => path !== null && isOpen(path, now))) return false;
  // diff follows symlinks when it compares two folders.
  if (name === "diff" && paths.some((path) => path !== null && isFolder(path))) return false;
  return (
    !isDeep(name, args) ||
    paths.every((path) => path === null || isFree(path, skippedBy(name, args), now))
  );
}

function readsPlainly(words: readonly string[]): boolean {
  const { verb, args, isPlain, folders } = readGit(words);
  const isReading = verb !== "config" && gitReading.test([verb, ...args].join(" "));
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const areKnown = args.slice(0, end).every((word) => {
    const [, name] = /^--([^=]*)/.exec(word) ?? [];
    return name === undefined || gitOptions.has(name) || /^no-(?!i)/.test(name);
  });
  if (!areKnown || (/^(?:branch|tag)$/.test(verb) && !onlyLists(args))) return false;
  return isPlain && folders.length <= 1 && isReading;
}

function printsLines(args: readonly string[]): boolean {
  const at = args.findIndex((word) => !word.startsWith("-"));
  const [options, files] = [args.slice(0, Math.max(0, at)), args.slice(at + 1)];
  return (
    options.every((word) => /^-(?:[nE]+e?|e)$/.test(word)) &&
    printing.test(args[at] ?? "") &&
    files.every((word) => !word.startsWith("-"))
  );
}

function onlyLists(args: readonly string[]): boolean {
  const options = args.filter((word) => word.startsWith("-"));
  const hasPatterns = args.some((word) => patterns.test(word));
  return (
    options.every((word) => listing.test(word)) && (hasPatterns || options.length === args.length)
  );
}

/** Whether the command prints all files of a folder. */
const isDeep = (name: string, args: readonly string[]): boolean =>
  name === "rg" ||
  (name.endsWith("grep") && args.some((arg) => /^-\w*[rd]|^--(?:rec|dir)/.test(arg)));

/** What the command skips in a folder: for rg hidden names, unless a glob or, for files, a type may name them. */
function skippedBy(name: string, args: readonly string[]): (entry: Dirent) => boolean {
  if (name !== "rg") return () => false;
  const globs = args.flatMap((arg, at) => {
    const [, joined] = /^(?:-\w*g|--i?glob=)(.+)$/.exec(arg) ?? [];
    return /^(?:-\w*g|--i?glob)$/.test(args[at - 1] ?? "") ? arg : (joined ?? []);
  });
  const named = globs.filter((glob) => !glob.startsWith("!")).map((glob) => glob.toLowerCase());
  const hasType = args.some((arg) => /^(?:-[a-zA-Z]*t|--type(?:=|$))/.test(arg));
  return (entry) =>
    entry.name.startsWith(".") &&
    (entry.isDirectory() || !hasType) &&
    !named.some((glob) => glob.includes("/") || new Bun.Glob(glob).match(entry.name.toLowerCase()));
}

/** Options of grep and rg with a word of their own. */
const takesWord =
  /^(?:-[a-z]*[ABCmgt]|--(?:glob|type|max-count|context|after-context|before-context))$/;

/** The folder is the last word, and no other option takes a value. */
function namesFolder(args: readonly string[]): boolean {
  const own = args.filter((arg, at) => !takesWord.test(arg) && !takesWord.test(args[at - 1] ?? ""));
  return (
    operandsOf(own).length > 1 &&
    !(own.at(-1) ?? "-").startsWith("-") &&
    own.every(
      (arg) => !arg.startsWith("-") || /^-(?:[a-zA-Z]*[rRnlicwHhosEFv]|-[\w-]+=.*)$/.test(arg),
    )
  );
}

/** Paths that a word may name, relative to any folder that the line enters. */
const pathsOf = (word: string, command: SimpleCommand, now: Situation): (string | null)[] =>
  [command, { ...command, cwd: "." }].map((from) => pathOf(word, from, now));

/** Words that may name a file, including option values; not programs or patterns. */
function filesOf(name: string, args: readonly string[]): string[] {
  const takesPattern =
    /^(?:sed|jq|rg|[ef]?grep)$/.test(name) &&
    !args.some((arg) => /^-[a-zA-Z]*[ef]|^--(?:file|regexp)/.test(arg));
  const pattern = takesPattern ? args.findIndex((arg) => !arg.startsWith("-")) : -1;
  return args
    .filter((_, at) => at !== pattern)
    .map((word) => word.replace(/^-[\w-]*=?/, ""))
    .filter((word) => word !== "");
}

/** In the workspace, symlinks resolved, and not secret. */
function isOpen(path: string, { workspace, folders, rules }: Situation): boolean {
  const real = attempt(() => realpathSync(path), path);
  const stat = attempt(() => statSync(real), null);
  // Reading a named pipe would never end.
  if (stat !== null && !stat.isFile() && !stat.isDirectory()) return real === "/dev/null";
  return (
    workspace.areaOf(real) !== "outside" &&
    !isSecret(real, folders) &&
    !isSecret(path, folders) &&
    rules.refusedPaths(readTool)?.(real) !== true
  );
}

const isFolder = (path: string): boolean => attempt(() => statSync(path).isDirectory(), false);

const maxEntries = 20_000;

/** Whether no file in the folder may hold a secret or is unreadable by rule. Symlinks are not followed. */
function isFree(folder: string, isSkipped: (entry: Dirent) => boolean, now: Situation): boolean {
  const open = [folder];
  let left = maxEntries;
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const entry of attempt(() => readdirSync(at, { withFileTypes: true }), [])) {
      const path = join(at, entry.name);
      if (isSkipped(entry)) continue;
      if ((left -= 1) < 0 || isSecret(path, now.folders)) return false;
      if (now.rules.refusedPaths(readTool)?.(path)) return false;
      if (entry.isDirectory()) open.push(path);
    }
  return true;
}
