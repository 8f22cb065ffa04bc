/**
 * Whether one command of a line is read-only and reads only what it may, as far as that can be said of
 * its words. What needs a look at more than its words is left to the sandbox (`looks.ts`).
 */

import type { Step } from "../line/command-line.ts";
import { literal, type Word } from "../line/word.ts";
import { readOnlyGit } from "./git.ts";
import { follow, isOpen, mayRead, type ReadScope, type ReadTarget } from "./operands.ts";
import { optionList, readArguments, type OptionList } from "./options.ts";

export type ReadOnlyStep = {
  /** The words that are run. */
  words: Word[];
  /** It describes the machine, and would describe the sandbox instead. */
  onHost: boolean;
  /** Folders in which the next command may run. */
  cwds: readonly string[];
};

/** The kind of a command's operands: files to read, with or without a pattern first, or names. */
const kinds = ["files", "pattern, files", "paths", "folder", "text", "names", "none"] as const;

type Operands = (typeof kinds)[number];

type CommandReader = {
  list: OptionList;
  operands: Operands;
  least: number;
  most: number;
  onHost: boolean;
};

/**
 * Commands, of which kind and how many their operands are, and the options with which they stay read-only.
 * A line that begins with spaces goes on.
 */
const table = `
ls: paths, 0-: -a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X
    -1 -w=number -I=text --all --almost-all --author --directory --classify --file-type --full-time
    --group-directories-first --no-group --human-readable --si --inode --literal --numeric-uid-gid --quote-name
    --reverse --recursive --size --color?=word --format=word --sort=word --time=word --time-style=text
    --indicator-style=word --ignore=text --hide=text
cat: files, 0-: -A -b -e -E -n -s -t -T -u -v --show-all --number --number-nonblank --show-ends --squeeze-blank
    --show-tabs --show-nonprinting
head: files, 0-: -# -n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose
tail: files, 0-: -# -n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose
wc: files, 0-: -c -m -l -L -w --bytes --chars --lines --max-line-length --words
cut: files, 0-: -b=word -c=word -d=text -f=word -s -n -z --delimiter=text --fields=word --only-delimited
    --complement
diff: files, 2-2: -# -a -b -B -c -d -e -i -n -p -q -s -t -u -w -y -E -Z -U=number -C=number --brief
    --unified?=number --context?=number --side-by-side --ignore-case --ignore-all-space --ignore-space-change
    --ignore-blank-lines --text --minimal --color?=word
stat: paths, 1-: -c=text -t --format=text --printf=text --terse
file: files, 1-: -b -i -k -r -h -0 --brief --mime --mime-type --mime-encoding
basename: text, 1-: -a -s=text -z --multiple --suffix=text
dirname: text, 1-: -z
realpath: paths, 1-: -e -m -L -P -q -s -z
readlink: paths, 1-: -f -e -m -n -q -s -v -z
pwd: none, 0-: -L -P
exit: names, 0-1:
true: none, 0-:
false: none, 0-:
:: none, 0-:
whoami: none, 0-:
id: names, 0-1: -g -G -n -r -u
uname: none, 0-: -a -s -n -r -v -m -p -i -o
which: names, 1-: -a
type: names, 1-: -a -t -p -P -f
seq: text, 1-3: -w -s=text -f=text --equal-width --separator=text
uniq: files, 0-1: -c -d -D -i -u -z -f=number -s=number -w=number --count --repeated --unique --ignore-case
sort: files, 0-: -b -d -f -g -h -i -M -n -R -r -s -u -V -z -c -C -k=word -t=text --dictionary-order
    --ignore-case --human-numeric-sort --numeric-sort --reverse --stable --unique --version-sort --check?=word
    --key=word --field-separator=text
tr: text, 1-2: -c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1
grep: pattern, files, 0-: -# -i -v -n -c -l -L -o -q -s -w -x -h -H -E -F -G -P -a -I -b -e=text -m=number
    -A=number -B=number -C=number --ignore-case --invert-match --line-number --count --files-with-matches
    --files-without-match --only-matching --quiet --no-messages --word-regexp --line-regexp --no-filename
    --with-filename --extended-regexp --fixed-strings --basic-regexp --perl-regexp --text --byte-offset
    --regexp=text --max-count=number --after-context=number --before-context=number --context=number --color?=word
jq: pattern, files, 1-: -a -c -C -e -j -M -n -r -R -s -S --ascii-output --color-output --compact-output
    --exit-status --indent=number --join-output --monochrome-output --null-input --raw-input --raw-output --slurp
    --sort-keys --tab
cd: folder, 0-1:
`;

const readers: ReadonlyMap<string, CommandReader> = new Map(
  table
    .trim()
    .replaceAll(/\n +/g, " ")
    .split("\n")
    .map((line) => {
      const [, name = "", kind = "", least = "0", most = "", options = ""] =
        /^(\S+): ([a-z, ]+), (\d+)-(\d*):(.*)$/.exec(line) ?? [];
      const operands = kinds.find((known) => known === kind) ?? "none";
      const onHost = /^(?:uname|which|type)$/.test(name);
      const limits = { least: Number(least), most: most === "" ? 1_000 : Number(most) };
      return [name, { operands, list: optionList(options), ...limits, onHost }];
    }),
);

/** `cwds`: where it may run, for a `cd` before it may have failed. Null: not known to be read-only. */
export async function readOnlyStep(
  step: Step,
  cwds: readonly string[],
  scope: ReadScope,
): Promise<ReadOnlyStep | null> {
  // Only the shell knows what a pattern expands to.
  if (step.words.some(({ kind }) => kind !== "literal")) return null;
  const [name = "", ...args] = step.words.map(({ text }) => text);
  for (const file of step.reads) {
    if (!(await mayRead(file.text, cwds, ["file"], scope))) return null;
  }
  const base = { words: step.words, onHost: false, cwds };
  if (name === "git") {
    const words = await readOnlyGit(args, cwds, scope);
    return words && { ...base, words };
  }
  const special = readSpecial(name, args);
  if (special === null) return null;
  if (special !== "other")
    return (await areOpen(special.named, special.operands, cwds, scope)) ? base : null;
  const reader = readers.get(name);
  const read = reader && readArguments(args, reader.list);
  if (!read || read.operands.length < reader.least || read.operands.length > reader.most)
    return null;
  if (reader.operands === "folder") return changeFolder(read.operands[0], base, scope);
  const named = namedFiles(reader, read.operands, read.given);
  if (named === null || !(await areOpen(named, reader.operands, cwds, scope))) return null;
  return { ...base, onHost: reader.onHost };
}

/** The operands that are paths; null when they are not what they should be. */
function namedFiles(
  { operands: kind }: CommandReader,
  operands: readonly string[],
  given: ReadonlySet<string>,
): readonly string[] | null {
  switch (kind) {
    case "text":
      return [];
    case "none":
      return operands.length === 0 ? [] : null;
    case "names":
      return operands.every((operand) => /^[\w.+-]+$/.test(operand)) ? [] : null;
    case "pattern, files": {
      const inOption = given.has("-e") || given.has("--regexp");
      if (!inOption && operands.length === 0) return null;
      return inOption ? operands : operands.slice(1);
    }
    case "paths":
      return operands.length === 0 ? ["."] : operands;
    default:
      return operands;
  }
}

/** "-" is the standard input. */
async function areOpen(
  files: readonly string[],
  operands: Operands,
  cwds: readonly string[],
  scope: ReadScope,
): Promise<boolean> {
  const kinds: ReadTarget["kind"][] = operands === "paths" ? ["file", "folder", "other"] : ["file"];
  for (const file of files)
    if (file !== "-" && !(await mayRead(file, cwds, kinds, scope))) return false;
  return true;
}

async function changeFolder(
  given: string | undefined,
  base: ReadOnlyStep,
  scope: ReadScope,
): Promise<ReadOnlyStep | null> {
  if (given === undefined || given === "-") return null;
  const folders = new Set(base.cwds);
  for (const cwd of base.cwds) {
    const target = await follow(given, cwd);
    if (target?.kind !== "folder" || !isOpen(target.path, scope)) return null;
    folders.add(target.path);
  }
  return { ...base, words: ["cd", "-P", "--", given].map(literal), cwds: [...folders] };
}

/** Files read by commands whose arguments have a grammar of their own. */
type SpecialReads = { operands: Operands; named: readonly string[] };

const nothing: SpecialReads = { operands: "none", named: [] };

/** Null: not known to be read-only. */
function readSpecial(name: string, args: readonly string[]): SpecialReads | null | "other" {
  switch (name) {
    case "echo":
      return nothing;
    case "printf":
      return args[0] !== undefined && printfFormat.test(args[0]) ? nothing : null;
    case "date":
      return args.every((arg) => dateArgument.test(arg)) ? nothing : null;
    // It would show variables, or load other files.
    case "jq":
      return args.some((arg) => /env|import|include|search_list/i.test(arg)) ? null : "other";
    case "sed":
      return readSed(args);
    case "test":
      return readTest(args);
    case "[":
      return args.at(-1) === "]" ? readTest(args.slice(0, -1)) : null;
    case "command":
      return args[0] === "-v" && args.length === 2 && /^[\w.+-]+$/.test(args[1] ?? "")
        ? nothing
        : null;
    default:
      return "other";
  }
}

/** `%n` writes to a variable, `-v` does, too. */
const printfFormat = /^(?!-)(?:[^%]|%%|%[-+ 0#]{0,3}\d{0,4}(?:\.\d{0,4})?[sbdiouxXeEfgGcq])*$/;

const dateArgument = /^(?:\+[\s\S]*|-u|--utc|-R|--rfc-email|-I\w*|--iso-8601(?:=\w+)?)$/;

/** Printing lines by their numbers or by what is in them, and nothing else of what sed can do. */
const line = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[.*[\]^$/|?+()])*/)`;
const lines = `${line}(?:,${line})?p`;
const sedScript = new RegExp(`^${lines}(?:;${lines})*;?$`);

function readSed(args: readonly string[]): SpecialReads | null {
  const [option, script, ...files] = args;
  if (option !== "-n" || !sedScript.test(script ?? "")) return null;
  return files.some((file) => file.startsWith("-")) ? null : { operands: "files", named: files };
}

function readTest(args: readonly string[]): SpecialReads | null {
  const [operator, path] = args[0] === "!" ? args.slice(1) : args;
  if (path === undefined || args.length > (args[0] === "!" ? 3 : 2)) return null;
  if (/^-[nz]$/.test(operator ?? "")) return nothing;
  return /^-[defrswxhL]$/.test(operator ?? "") ? { operands: "paths", named: [path] } : null;
}
