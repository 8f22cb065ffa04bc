/**
 * Read-only commands, which run without approval, and the options with which they stay read-only.
 */

import { optionList, type OptionList } from "./options.ts";

/** What the arguments that are not options are. */
export type Operands =
  /** Regular files that are read. */
  | "files"
  /** As "files", after a first argument that is text; `-e` replaces that. */
  | "pattern, files"
  /** Files or folders of which names and sizes are shown. */
  | "paths"
  /** Folders that are searched with all that is in them. */
  | "trees"
  | "pattern, trees"
  | "folder"
  | "text"
  | "names"
  | "none";

export type ReadOnlyCommand = {
  list: OptionList;
  operands: Operands;
  least: number;
  most: number;
  /** Reads more than it names: safe only in the sandbox, where secrets are hidden. */
  sandboxOnly?: true;
  /** Describes the machine, and would describe the sandbox instead. */
  onHost?: true;
};

const command = (
  operands: Operands,
  options = "",
  more: Partial<ReadOnlyCommand> = {},
): ReadOnlyCommand => ({ operands, list: optionList(options), least: 0, most: 1000, ...more });

const grepOptions =
  "-# -i -v -n -c -l -L -o -q -s -w -x -h -H -E -F -G -P -a -I -b -e=text -m=number -A=number " +
  "-B=number -C=number --ignore-case --invert-match --line-number --count --files-with-matches " +
  "--files-without-match --only-matching --quiet --no-messages --word-regexp --line-regexp " +
  "--no-filename --with-filename --extended-regexp --fixed-strings --basic-regexp --perl-regexp " +
  "--text --byte-offset --regexp=text --max-count=number --after-context=number " +
  "--before-context=number --context=number --color?=word";

const grep = command("pattern, files", grepOptions);

/** Files that `grep -r` would choose. */
export const recursiveGrep = command(
  "pattern, trees",
  `${grepOptions} -r --recursive --include=text --exclude=text --exclude-dir=text`,
  { sandboxOnly: true },
);

const end = command(
  "files",
  "-# -n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose",
);

const checksum = command("files", "-b -t --binary --text --tag");

const table: Record<string, ReadOnlyCommand> = {
  ls: command(
    "paths",
    "-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X " +
      "-1 -w=number -I=text --all --almost-all --author --directory --classify --file-type " +
      "--full-time --group-directories-first --no-group --human-readable --si --inode --literal " +
      "--numeric-uid-gid --quote-name --reverse --recursive --size --color?=word --format=word " +
      "--sort=word --time=word --time-style=text --indicator-style=word --ignore=text --hide=text",
  ),
  tree: command(
    "paths",
    "-a -d -f -i -s -h -D -F -C -n -N -p -r -t -v -L=number -I=text -P=text --dirsfirst --noreport --prune --du --si --filelimit=number",
  ),
  cat: command(
    "files",
    "-A -b -e -E -n -s -t -T -u -v --show-all --number --number-nonblank --show-ends --squeeze-blank --show-tabs --show-nonprinting",
  ),
  head: end,
  tail: end,
  wc: command("files", "-c -m -l -L -w --bytes --chars --lines --max-line-length --words"),
  nl: command(
    "files",
    "-b=word -n=word -s=text -w=number -v=number -i=number -p --body-numbering=word --number-width=number",
  ),
  cut: command(
    "files",
    "-b=word -c=word -d=text -f=word -s -n -z --bytes=word --characters=word --delimiter=text --fields=word --only-delimited --complement --output-delimiter=text",
  ),
  tac: command("files", "-b -s=text --separator=text"),
  rev: command("files"),
  od: command("files", "-A=word -t=word -j=number -N=number -a -b -c -d -o -s -x -v -w=number"),
  cmp: command("files", "-b -l -s -n=number --print-bytes --verbose --quiet --silent", {
    least: 2,
    most: 2,
  }),
  diff: command(
    "files",
    "-# -a -b -B -c -d -e -i -n -p -q -s -t -u -w -y -E -Z -U=number -C=number --brief --unified?=number --context?=number --side-by-side --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --minimal --color?=word --suppress-common-lines --width=number",
    { least: 2, most: 2 },
  ),
  comm: command("files", "-1 -2 -3", { least: 2, most: 2 }),
  stat: command("paths", "-c=text -t --format=text --printf=text --terse", { least: 1 }),
  file: command("files", "-b -i -k -r -h -0 --brief --mime --mime-type --mime-encoding", {
    least: 1,
  }),
  du: command(
    "trees",
    "-a -b -c -h -k -m -s -x -0 -d=number --all --apparent-size --bytes --total --human-readable --max-depth=number --summarize --si",
    { sandboxOnly: true },
  ),
  basename: command("text", "-a -s=text -z --multiple --suffix=text", { least: 1 }),
  dirname: command("text", "-z", { least: 1 }),
  realpath: command("paths", "-e -m -L -P -q -s -z", { least: 1 }),
  readlink: command("paths", "-f -e -m -n -q -s -v -z", { least: 1 }),
  md5sum: checksum,
  sha1sum: checksum,
  sha256sum: checksum,
  sha512sum: checksum,
  cksum: command("files"),
  pwd: command("none", "-L -P"),
  exit: command("names", "", { most: 1 }),
  true: command("none"),
  false: command("none"),
  ":": command("none"),
  whoami: command("none"),
  id: command("names", "-g -G -n -r -u", { most: 1 }),
  uname: command("none", "-a -s -n -r -v -m -p -i -o", { onHost: true }),
  arch: command("none"),
  nproc: command("none", "--all", { onHost: true }),
  which: command("names", "-a", { least: 1, onHost: true }),
  type: command("names", "-a -t -p -P -f", { least: 1, onHost: true }),
  df: command("none", "-a -h -H -i -k -l -T -P --total --human-readable --local", { onHost: true }),
  seq: command("text", "-w -s=text -f=text --equal-width --separator=text", { least: 1, most: 3 }),
  uniq: command(
    "files",
    "-c -d -D -i -u -z -f=number -s=number -w=number --count --repeated --unique --ignore-case --skip-fields=number --skip-chars=number --check-chars=number",
    { most: 1 },
  ),
  sort: command(
    "files",
    "-b -d -f -g -h -i -M -n -R -r -s -u -V -z -c -C -k=word -t=text --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --reverse --stable --unique --version-sort --check?=word --key=word --field-separator=text --zero-terminated",
  ),
  tr: command("text", "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", {
    least: 1,
    most: 2,
  }),
  column: command("files", "-t -x -s=text -o=text -c=number -n -e"),
  fold: command("files", "-b -s -w=number --bytes --spaces --width=number"),
  expand: command("files", "-i -t=word --initial --tabs=word"),
  paste: command("files", "-d=text -s --delimiters=text --serial"),
  grep,
  egrep: grep,
  fgrep: grep,
  rg: command(
    "pattern, trees",
    "-# -i -S -s -v -n -N -c -l -o -w -x -F -P -U -a -H -I -h -e=text -g=text -t=word -T=word -m=number -A=number -B=number -C=number -j=number -d=number --ignore-case --smart-case --case-sensitive --invert-match --line-number --no-line-number --count --count-matches --files --files-with-matches --files-without-match --only-matching --word-regexp --line-regexp --fixed-strings --pcre2 --multiline --text --with-filename --no-filename --no-heading --heading --glob=text --iglob=text --type=word --type-not=word --max-count=number --after-context=number --before-context=number --context=number --max-depth=number --max-columns=number --sort=word --color=word --json --stats --trim --vimgrep --column --no-messages --hidden --no-ignore --passthru",
    { sandboxOnly: true },
  ),
  jq: command(
    "pattern, files",
    "-r -c -s -n -e -S -M -C -a -j --raw-output --compact-output --slurp --null-input --exit-status --sort-keys --monochrome-output --color-output --ascii-output --join-output --tab --indent=number",
    { least: 1, sandboxOnly: true },
  ),
  cd: command("folder", "", { most: 1 }),
};

export const readOnlyCommands: ReadonlyMap<string, ReadOnlyCommand> = new Map(
  Object.entries(table),
);
