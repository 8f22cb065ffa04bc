/** Losses of a line that neither `/rewind` nor git brings back, and the files that it writes. */

import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listed } from "../base/format.ts";
import { attempt } from "../base/guards.ts";
import type { Line, SimpleCommand } from "./line/line.ts";
import { operandsOf, readGit } from "./line/operands.ts";
import { pathOf } from "./line/paths.ts";
import { programName } from "./line/unwrap.ts";
import { startsOf } from "./never.ts";
import type { NeedyProgram } from "./programs.ts";
import type { Situation } from "./verdict.ts";

/** A sentence for the question; null: all it does can be undone. `programs`: those that leave the sandbox. */
export async function findLoss(
  line: Line,
  programs: readonly NeedyProgram[],
  now: Situation,
): Promise<string | null> {
  const unseen = findUnseen(line.commands);
  if (unseen !== null) return unseen;
  const commands = line.commands.filter(({ guessed }) => !guessed);
  for (const { argv } of commands) {
    const [first = "", ...args] = argv;
    if (programName(first) === "git") {
      const lost = lostByGit(args);
      if (lost !== null) return lost;
    } else if (
      programs.some(({ text }) => text === argv.join(" ")) &&
      args.some((word) => changing.test(word))
    )
      return "It may change or delete files that /rewind cannot restore.";
  }
  const paths = commands.flatMap((command) => destroyedBy(command, now));
  const there = [...new Set(paths)].filter((path) => existsSync(path));
  const cleaned = commands.filter(cleans).flatMap((command) => expand(".", command, now));
  const kept = [
    ...((await now.notRestorable?.(there)) ?? []),
    // It leaves ignored folders alone.
    ...((await now.notRestorable?.(cleaned)) ?? []).filter(isFile),
  ];
  if (kept.length > 0) return `${named(kept, now)} can't be restored.`;
  return null;
}

const maxNamed = 4;

function named(paths: readonly string[], { workspace }: Situation): string {
  const names = paths.slice(0, maxNamed).map((path) => {
    const isFolder = attempt(() => lstatSync(path).isDirectory(), false);
    return `\`${workspace.show(path)}${isFolder ? "/" : ""}\``;
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
  const files = words.map((path) => basename(path)).filter((name) => name !== "");
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
    "stash (?:drop|clear)\\b|branch (?:.* )?(?:-\\w*[dDMCf]|--delete|--force)\\b|tag (?:.* )?(?:-\\w*[df]|--delete|--force)\\b",
    "update-ref (?:.* )?(?:-d|--delete|--stdin)\\b|symbolic-ref .*-d\\b|reflog (?:delete|drop|expire)\\b|prune\\b",
    "gc .*--(?:prune|aggressive)|repack .*-\\w*[ad]|filter-(?:branch|repo)\\b|replace\\b",
    "worktree remove .*(?:-f|--force)\\b|clean (?:.* )?-\\w*[xX]",
  ].join("|")})`,
);

/** Work of others, on a remote. */
const overwritesRemote = /^push (?:.* )?(?:-\w*[fd]\b|--(?:force|delete|mirror|prune)\S*|[+:]\S)/;

const dryRun = /^-\w*n|^--dry-run$/;

function cleans({ argv: [first = "", ...words] }: SimpleCommand): boolean {
  if (programName(first) !== "git") return false;
  const { verb, args } = readGit(words);
  return verb === "clean" && !args.some((arg) => dryRun.test(arg));
}

function lostByGit(words: readonly string[]): string | null {
  const { verb, args } = readGit(words);
  const call = [verb, ...args].join(" ");
  if (verb === "clean" && args.some((arg) => dryRun.test(arg))) return null;
  if (overwritesRemote.test(call)) return "It overwrites or deletes branches of the remote.";
  return losesInGit.test(call) ? `What \`git ${verb}\` removes can't be restored.` : null;
}

/** Words with which programs outside of the sandbox delete, stop, merge or publish. */
const changing =
  /^(?:(?:(?:auto)?remove|delete|destroy|terminate|drop)\S*|prune|rmi?|rb|purge|kill|stop|restart|drain|rollback|replace|apply|down|deploy|uninstall|archive|close|merge|revoke|put|patch|(?:un)?publish|yank|upload|deprecate|owner|--volumes|-R\w*)$/i;

type Place = Pick<Situation, "cwd" | "folders">;

/** Paths that the command removes, moves or overwrites. */
function destroyedBy(command: SimpleCommand, place: Place): string[] {
  const [first = "", ...args] = command.argv;
  const at = (words: readonly string[]): string[] =>
    words.flatMap((word) => expand(word, command, place));
  switch (programName(first)) {
    case "touch":
    case "chmod":
    case "chown":
      return at(command.writes);
    case "find":
      return [
        ...(args.includes("-delete") && !args.some((arg) => narrows.test(arg))
          ? at(startsOf(args))
          : []),
        ...writtenBy(command, place),
      ];
    case "git": {
      const call = readGit(args);
      const overwrites = /^(?:checkout|restore)$/.test(call.verb);
      const files = overwrites ? at(operandsOf(call.args)).filter(isFile) : [];
      return [...files, ...writtenBy(command, place)];
    }
    default:
      return writtenBy(command, place);
  }
}

const isFile = (path: string): boolean => attempt(() => !lstatSync(path).isDirectory(), false);

/** With these `find` removes only some of what is in a folder. */
const narrows =
  /^-(?:i?(?:name|path|regex|wholename)|empty|size|prune|[acm](?:min|time)|newer\w*)$/;

/** Paths that the command writes or removes, as far as its words tell; a pattern stands for what it matches. */
export function writtenBy(command: SimpleCommand, place: Place): string[] {
  const [first = "", ...args] = command.argv;
  const operands = operandsOf(args);
  const at = (words: readonly string[]): string[] =>
    words.flatMap((word) => expand(word, command, place));
  const written = (): string[] => {
    switch (programName(first)) {
      case "mv":
        return [...at(operands.slice(0, -1)), ...intoFolder(operands, at)];
      case "rsync":
        return args.some((arg) => arg.startsWith("--delete"))
          ? at(operands.slice(-1))
          : intoFolder(operands, at);
      case "cp":
      case "install":
      case "ln":
        return intoFolder(operands, at);
      case "find":
        return args.some((arg) => /^(?:-delete|rm|unlink|shred)$/.test(arg))
          ? at(startsOf(args).filter((start) => start !== "."))
          : [];
      case "rimraf":
      case "trash":
      case "shred":
      case "tee":
      case "sponge":
      case "truncate":
      case "touch":
      case "rm":
      case "rmdir":
      case "unlink":
        return at(operands);
      case "chmod":
      case "chown":
        return at(operands.slice(1));
      case "dd":
        return at(args.flatMap((arg) => /^of=(.*)$/.exec(arg)?.[1] ?? []));
      case "sed":
      case "perl":
      case "ruby":
        return args.some((arg) => /^-\w*i|^--in-place/.test(arg)) ? at(operands) : [];
      case "git": {
        const call = readGit(args);
        return /^(?:rm|mv)$/.test(call.verb) ? at(operandsOf(call.args)) : [];
      }
      default:
        return [];
    }
  };
  return [...written(), ...at(command.writes.filter((path) => !path.startsWith("/dev/")))];
}

/** Copies into a folder keep their names. */
function intoFolder(
  operands: readonly string[],
  at: (words: readonly string[]) => string[],
): string[] {
  const to = operands.at(-1);
  if (to === undefined || operands.length < 2) return [];
  const targets = at([to]);
  return targets.flatMap((target) =>
    attempt(() => lstatSync(target).isDirectory(), false)
      ? operands.slice(0, -1).map((path) => join(target, basename(path)))
      : [target],
  );
}

export const maxMatches = 200;

/** Absolute, without links in its folder; none where only the shell knows. */
export function expand(word: string, command: SimpleCommand, place: Place): string[] {
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
