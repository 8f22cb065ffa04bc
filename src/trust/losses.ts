/** What a line would destroy that neither `/rewind` nor git brings back, and which files it writes. */

import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listed } from "../base/in-words.ts";
import { attempt } from "../base/guards.ts";
import { runsOutputOf, type Line, type SimpleCommand } from "./line/line.ts";
import { operandsOf, readGit } from "./line/operands.ts";
import { pathOf } from "./line/paths.ts";
import { isShell, programName } from "./line/unwrap.ts";
import { startsOf } from "./never.ts";
import type { Situation } from "./verdict.ts";

/** A sentence for the question; null: whatever it does can be undone. */
export async function findLoss(line: Line, now: Situation): Promise<string | null> {
  const unseen = findUnseen(line.commands);
  if (unseen !== null) return unseen;
  const commands = line.commands.filter(({ guessed }) => !guessed);
  for (const { argv } of commands) {
    const lost =
      programName(argv[0] ?? "") === "git" ? lostByGit(argv.slice(1)) : lostElsewhere(argv);
    if (lost !== null) return lost;
  }
  const paths = commands.flatMap((command) => destroyedBy(command, now));
  const there = [...new Set(paths)].filter((path) => existsSync(path));
  const kept = (await now.notRestorable?.(there)) ?? [];
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

const downloader = /^(?:curl|wget|http|https|xh|aria2c|gh)$/;

/** What comes from the web is run without being looked at. */
function findUnseen(commands: readonly SimpleCommand[]): string | null {
  const loads = ({ argv }: SimpleCommand): boolean =>
    downloader.test(programName(argv[0] ?? "")) && argv.some((word) => /^https?:|\$/i.test(word));
  const saved = commands
    .filter(loads)
    .flatMap(({ argv, writes }) => [
      ...writes,
      ...argv.flatMap((word, at) =>
        /^(?:-\w*[oO]|--output|--output-document)$/.test(word) ? [argv[at + 1] ?? ""] : [],
      ),
      ...argv.filter((word) => /^https?:/i.test(word)),
    ]);
  const files = saved.map((path) => basename(path)).filter((name) => name !== "");
  const runs = commands.find(
    (command) =>
      runsOutputOf(command).some(loads) ||
      (command.argv[0] === "eval" && commands.some(loads)) ||
      (command.argv[0] === "xargs" && command.piped.some(loads) && command.argv.some(isShell)) ||
      (/^(?:ba|z|da|k)?sh$|^(?:python[\d.]*|node|perl|ruby|source|\.)$|^\.?\//.test(
        command.argv[0] ?? "",
      ) &&
        command.argv.some((word) => files.includes(basename(word)))),
  );
  if (!runs) return null;
  const url = commands.flatMap(({ argv }) => argv).find((word) => /^https?:/i.test(word));
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : "the web";
  return `It runs what it downloads from ${host}, before anybody has seen it.`;
}

/** Refs and objects, which are not in the snapshot. */
const lostRefs: readonly (readonly [call: RegExp, lost: string])[] = [
  [/^stash (?:drop|clear)\b/, "A stash that was dropped"],
  [/^branch (?:.* )?(?:-\w*[dDMCf]|--delete|--force)\b/, "A branch that was deleted or moved"],
  [/^tag (?:.* )?(?:-\w*[df]|--delete|--force)\b/, "A tag that was deleted or moved"],
  [
    /^(?:update-ref (?:.* )?(?:-d|--delete|--stdin)\b|symbolic-ref .*-d\b)/,
    "A ref that was deleted",
  ],
  [
    /^reflog (?:delete|drop|expire)\b|^prune\b|^gc .*--(?:prune|aggressive)|^repack .*-\w*[ad]/,
    "What git removes",
  ],
  [/^filter-(?:branch|repo)\b|^replace\b/, "The history that git rewrites"],
  [/^worktree remove .*(?:-f|--force)\b/, "The changes of a worktree that was removed"],
  [/^clean (?:.* )?-\w*[xX]/, "Ignored files that git removes"],
];

/** Work of others, on a remote. */
const overwritesRemote = /^push (?:.* )?(?:-\w*[fd]\b|--(?:force|delete|mirror|prune)\S*|[+:]\S)/;

function lostByGit(words: readonly string[]): string | null {
  const { verb, args } = readGit(words);
  const call = [verb, ...args].join(" ");
  if (/^clean\b/.test(call) && args.some((arg) => /^-\w*n|^--dry-run$/.test(arg))) return null;
  if (overwritesRemote.test(call)) return "It overwrites or deletes branches of the remote.";
  const found = lostRefs.find(([pattern]) => pattern.test(call));
  return found ? `${found[1]} can't be restored.` : null;
}

/** Programs that change what is outside of the sandbox, and words with which they delete it. */
const deletes: readonly (readonly [programs: RegExp, words: RegExp, what: string])[] = [
  [
    /^(?:docker|podman|docker-compose)$/,
    /\b(?:prune|rmi?|kill|down .*(?:-v|--volumes))\b/,
    "containers, images or volumes",
  ],
  [
    /^(?:kubectl|oc|helm)$/,
    /\b(?:delete|drain|uninstall|rollback|replace)\b/,
    "what runs in a cluster",
  ],
  [
    /^(?:terraform|tofu|pulumi|cdk|serverless|sls)$/,
    /\b(?:destroy|apply|up|deploy|remove)\b/,
    "infrastructure",
  ],
  [
    /^(?:aws|gcloud|az|heroku|fly|flyctl|doctl)$/,
    /\b(?:rm|rb|delete\S*|terminate\S*|destroy\S*|remove\S*|purge)\b/,
    "resources in the cloud",
  ],
  [
    /^(?:gh|glab)$/,
    /^(?:\w+ )?(?:delete|archive|close|merge|revoke)\b|^api .*(?:-\w*X|--method)[\s=]*(?:DELETE|PUT|PATCH)/i,
    "things on the forge",
  ],
  [
    /^(?:npm|pnpm|yarn|bun|cargo|gem|twine|poetry)$/,
    /^(?:unpublish|publish|yank|upload|deprecate|owner)\b/,
    "a published package",
  ],
  [
    /^(?:psql|mysql|mariadb|mongosh?|redis-cli)$/,
    /\b(?:drop|truncate|delete\s+from|dropDatabase|flushall|flushdb)\b/i,
    "data in a database",
  ],
  [
    /^(?:apt|apt-get|dnf|yum|pacman|brew|snap)$/,
    /\b(?:remove|purge|autoremove|uninstall|-R\w*)\b/,
    "software of the machine",
  ],
  [
    /^(?:systemctl|service|launchctl|crontab|mount|umount)$/,
    /^(?!status|show|list|is-|-l$|$)/,
    "services of the machine",
  ],
];

function lostElsewhere([first = "", ...args]: readonly string[]): string | null {
  const found = deletes.find(
    ([programs, words]) => programs.test(programName(first)) && words.test(args.join(" ")),
  );
  return found ? `It changes or deletes ${found[2]}, which /rewind does not bring back.` : null;
}

type Place = Pick<Situation, "cwd" | "folders">;

/** Paths that the command removes or moves with all below them, and files that it overwrites. */
function destroyedBy(command: SimpleCommand, place: Place): string[] {
  const args = command.argv.slice(1);
  const operands = operandsOf(args);
  const at = (words: readonly string[]): string[] =>
    words.flatMap((word) => expand(word, command, place));
  switch (programName(command.argv[0] ?? "")) {
    case "rm":
    case "rmdir":
    case "unlink":
    case "rimraf":
    case "trash":
    case "shred":
      return at([...operands, ...command.writes]);
    case "touch":
    case "chmod":
    case "chown":
      return at(command.writes);
    case "find": {
      const removes =
        args.includes("-delete") || args.some((arg) => /^(?:rm|unlink|shred)$/.test(arg));
      return at([
        ...(removes ? startsOf(args).filter((start) => start !== ".") : []),
        ...command.writes,
      ]);
    }
    case "mv":
      return [...at(operands.slice(0, -1)), ...writtenBy(command, place).filter(isFile)];
    case "rsync":
      return args.some((arg) => arg.startsWith("--delete"))
        ? at(operands.slice(-1))
        : writtenBy(command, place).filter(isFile);
    case "git":
      return writtenBy(command, place);
    default:
      return writtenBy(command, place).filter(isFile);
  }
}

const isFile = (path: string): boolean => attempt(() => !lstatSync(path).isDirectory(), false);

/** Paths that the command writes or removes, as far as its words tell; a pattern stands for what it matches. */
export function writtenBy(command: SimpleCommand, place: Place): string[] {
  const [first = "", ...args] = command.argv;
  const operands = operandsOf(args);
  const at = (words: readonly string[]): string[] =>
    words.flatMap((word) => expand(word, command, place));
  const written = (): string[] => {
    switch (programName(first)) {
      case "cp":
      case "mv":
      case "install":
      case "ln":
      case "rsync":
        return intoFolder(operands, at);
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
