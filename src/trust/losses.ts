/** Losses of a line that neither `/rewind` nor git brings back, and the files that it writes. */

import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listed } from "../base/format.ts";
import { attempt } from "../base/guards.ts";
import type { Line, SimpleCommand } from "./line/line.ts";
import { operandsOf, programName, readGit } from "./line/words.ts";
import { pathOf } from "./line/paths.ts";
import { startsOf } from "./never.ts";
import type { NeedyProgram } from "./programs.ts";
import type { Situation } from "./verdict.ts";

/** The warning about losses; null: all changes can be undone. `programs`: programs that leave the sandbox. */
export async function findLoss(
  line: Line,
  programs: readonly NeedyProgram[],
  now: Situation,
): Promise<string | null> {
  const unseen = findUnseen(line.commands);
  if (unseen !== null) return unseen;
  for (const command of line.commands) {
    const text = textOf(command);
    const lost = text.startsWith("git ") ? lostByGit(command) : null;
    if (lost !== null) return lost;
    const { argv } = command;
    const leaves = programs.some((program) => program.text === argv.join(" "));
    if (leaves && !text.startsWith("git ") && argv.slice(1).some((word) => changing.test(word)))
      return "This command may change or delete files that /rewind cannot restore.";
  }
  const paths = line.commands.flatMap((command) => writtenBy(command, now, "loss"));
  const there = [...new Set(paths)].filter((path) => existsSync(path));
  const cleaned = line.commands
    .filter((command) => /^git clean(?: |$)/.test(textOf(command)) && !dryRun.test(textOf(command)))
    .flatMap((command) => expand(".", command, now));
  const kept = [
    ...((await now.notRestorable?.(there)) ?? []),
    // `git clean` keeps ignored folders.
    ...((await now.notRestorable?.(cleaned)) ?? []).filter(isFile),
  ];
  if (kept.length > 0) return `${named(kept, now)} can't be restored.`;
  return null;
}

const maxNamed = 4;

function named(paths: readonly string[], { workspace }: Situation): string {
  const names = paths.slice(0, maxNamed).map((path) => {
    return `\`${workspace.show(path)}${isFolder(path) ? "/" : ""}\``;
  });
  const more = paths.length - maxNamed;
  return listed(more > 0 ? [...names, `${more} more`] : names);
}

const downloader = /^(?:curl|wget|https?|xh|aria2c|gh)$/;
const interpreter = /^(?:(?:ba|z|da|k)?sh|python[\d.]*|node|bun|perl|ruby|php|source|\.|eval)$/;

/** A line that downloads, and runs its input, its substitutions, or a file that it downloaded. */
function findUnseen(commands: readonly SimpleCommand[]): string | null {
  const loads = commands.filter(
    ({ argv }) =>
      downloader.test(programName(argv[0] ?? "")) && argv.some((word) => /^https?:|\$/i.test(word)),
  );
  const words = loads.flatMap(({ argv, writes }) => [
    ...writes,
    ...argv.filter(
      (word, at) =>
        /^https?:/i.test(word) ||
        /^(?:-\w*[oO]|--output|--output-document)$/.test(argv[at - 1] ?? ""),
    ),
  ]);
  const files = words.map((path) => basename(path));
  const isUnseen = ({ argv: [name = "", ...args] }: SimpleCommand): boolean =>
    interpreter.test(programName(name))
      ? args.every((word) => word.startsWith("-")) ||
        args[0] === "-s" ||
        args.some((word) => /\$\(|<\(|`|^\$\w+$|\{\}/.test(word) || files.includes(basename(word)))
      : name.includes("/") && files.includes(basename(name));
  if (loads.length === 0 || !commands.some(isUnseen)) return null;
  const url = words.find((word) => /^https?:/i.test(word));
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : "the web";
  return `It runs code downloaded from ${host} without a review.`;
}

/** Subcommands that remove refs, objects or ignored files, which are not in the snapshot. */
const losesInGit = new RegExp(
  `^(?:${[
    "stash (?:drop|clear)\\b|branch (?:.* )?(?:-\\w*[dDMCf]\\b|--d|--fo(?!rm))|tag (?:.* )?(?:-\\w*[df]\\b|--d|--fo(?!rm))",
    "update-ref (?:.* )?(?:-d|--delete|--stdin)\\b|symbolic-ref .*-d\\b|reflog (?:delete|drop|expire)\\b|prune\\b",
    "fetch (?:.* )?(?:-\\w*[fP]\\b|--fo|--prune-t|\\+|[^ :@]+:(?![:/]))|gc .*--(?:prune|aggressive)|repack .*-\\w*[ad]|filter-(?:branch|repo)\\b|replace\\b",
    "worktree remove .*(?:-f|--force)\\b|clean (?:.* )?-\\w*[xX]",
  ].join("|")})`,
  "s",
);

/** Work of others, on a remote. */
const overwritesRemote = /^push (?:.* )?(?:-\w*[fd]\b|--(?:force|delete|mirror|prune)\S*|[+:]\S)/s;

const dryRun = /^git clean (?:.* )?(?:-\w*n|--dry-run\b)/s;

function lostByGit(command: SimpleCommand): string | null {
  const text = textOf(command);
  const call = text.replace(/^git /, "");
  if (dryRun.test(text)) return null;
  if (overwritesRemote.test(call)) return "It overwrites or deletes branches of the remote.";
  return losesInGit.test(call)
    ? `What \`git ${call.split(" ")[0]}\` removes can't be restored.`
    : null;
}

/** Words with which programs outside of the sandbox delete, stop, merge or publish. */
const changing =
  /^(?:(?:(?:auto)?remove|delete|destroy|terminate|drop)\S*|prune|rmi?|rb|purge|kill|stop|restart|drain|rollback|replace|apply|down|deploy|uninstall|archive|close|merge|revoke|put|patch|(?:un)?publish|yank|upload|deprecate|owner|--volumes|-R\w*)$/i;

type Place = Pick<Situation, "cwd" | "folders">;

type Named = "all" | "files" | "rest" | "target" | "sources and target" | "starts" | "of=";

/** Programs that write or remove what their words name; some matter only for losses, or only for effects. */
const writers: readonly (readonly [command: RegExp, named: Named, only?: "loss" | "effect"])[] = [
  [/^(?:rm|rmdir|unlink|rimraf|trash|shred|tee|sponge|truncate|git (?:rm|mv)) /, "all"],
  [/^(?:sed|perl|ruby) (?:.* )?(?:-\w*i|--in-place)/s, "all"],
  [/^touch /, "all", "effect"],
  [/^ch(?:mod|own) /, "rest", "effect"],
  [/^git (?:checkout|restore) /, "files", "loss"],
  [/^mv /, "sources and target"],
  [/^rsync (?:.* )?--delete/s, "rest"],
  [/^(?:cp|install|ln|rsync) /, "target"],
  [/^find .*-(?:delete|exec\w* (?:rm|unlink|shred))\b/s, "starts"],
  [/^dd /, "of="],
];

const isFile = (path: string): boolean => attempt(() => !lstatSync(path).isDirectory(), false);
const isFolder = (path: string): boolean => attempt(() => lstatSync(path).isDirectory(), false);

/** With these `find` removes only some of what is in a folder. */
const narrows =
  / -(?:i?(?:name|path|regex|wholename)|empty|size|prune|[acm](?:min|time)|newer\w*) /;

/** Program and words, of git without the options before its subcommand. */
function textOf({ argv: [first = "", ...args] }: SimpleCommand): string {
  const name = programName(first);
  const { verb, args: rest } = readGit(args);
  return [name, ...(name === "git" ? [verb, ...rest] : args)].join(" ");
}

/** Paths that the words of the command name for writing or removal; patterns are expanded. */
export function writtenBy(command: SimpleCommand, place: Place, why: "loss" | "effect"): string[] {
  const at = (words: readonly string[]): string[] =>
    words.flatMap((word) => expand(word, command, place));
  const text = textOf(command);
  const found = writers.find(([pattern]) => pattern.test(text));
  const named = found === undefined || (found[2] ?? why) !== why ? null : found[1];
  const args = command.argv.slice(1);
  const words = operandsOf(text.startsWith("git ") ? readGit(args).args : args);
  // GNU programs also take the folder before the files.
  const into = args.find((_, at) => /^(?:-\w*t|--target-directory)$/.test(args[at - 1] ?? ""));
  const isFirst = into !== undefined && /^(?:cp|mv|install|ln) /.test(text);
  const operands = isFirst ? [...words.filter((word) => word !== into), into] : words;
  const copies = (): string[] =>
    at(operands.slice(1).slice(-1)).flatMap((target) =>
      // Copies into a folder keep their names.
      isFolder(target)
        ? operands.slice(0, -1).map((path) => join(target, basename(path)))
        : [target],
    );
  const written = (): string[] => {
    switch (named) {
      case "all":
        return at(operands);
      case "files":
        return at(operands).filter(isFile);
      case "rest":
        return at(operands.slice(1));
      case "sources and target":
        return [...at(operands.slice(0, -1)), ...copies()];
      case "target":
        return copies();
      case "starts":
        return at(startsOf(args).filter((start) => start !== "." || !narrows.test(text)));
      case "of=":
        return at(args.flatMap((arg) => /^of=(.*)$/.exec(arg)?.[1] ?? []));
      case null:
        return [];
    }
  };
  return [...written(), ...at(command.writes.filter((path) => !path.startsWith("/dev/")))];
}

const maxMatches = 200;

/** Absolute, without links in its folder; none where only the shell knows. */
function expand(word: string, command: SimpleCommand, place: Place): string[] {
  const full = pathOf(word, command, place);
  if (full === null) return [];
  const at = full.search(/[*?[]/);
  if (at === -1) return [realPath(full)];
  const folder = dirname(`${full.slice(0, at)}x`);
  const found: string[] = [];
  attempt(() => {
    // Like the shell, it leaves out names that begin with a dot.
    const glob = new Bun.Glob(full.slice(folder.length + 1));
    for (const name of glob.scanSync({ cwd: folder, onlyFiles: false })) {
      if (found.push(realPath(join(folder, name))) >= maxMatches) break;
    }
  }, undefined);
  return found;
}

const realPath = (path: string): string =>
  join(
    attempt(() => realpathSync(dirname(path)), dirname(path)),
    basename(path),
  );
