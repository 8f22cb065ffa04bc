/**
 * Commands that never run, in any mode: they would destroy the machine or the home. A short list that
 * catches mistakes; a line that hides its purpose is left to the sandbox.
 */

import { posix } from "node:path";
import type { Line, SimpleCommand } from "./line/line.ts";
import { operandsOf, programName } from "./line/words.ts";

type Vital = { home: string; workspace: string };

/** A function, or a script, that pipes into itself or starts itself in the background. */
const forkBomb =
  /(?<![\w:])([\w:]{1,40})\s*\(\)\s*\{[^}]{0,400}(?<![\w:])\1\s*[|&]|^\s*"?\$0"?\s*[|&]\s*"?\$0"?\s*&/m;

const disk = "\\/dev\\/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper\\/|dm-|md|k?mem|port|ram)";

/** Programs that destroy the machine, with their words. */
const machine: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /^(?:shutdown|reboot|halt|poweroff)\b|^(?:tel)?init [06]$|^(?:systemctl|loginctl) (?:-\S+ )*(?:poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|isolate)\b/,
    "stops or restarts the machine",
  ],
  [
    new RegExp(
      "^(?:mkfs(?:\\.\\S+)?|mkswap|mke2fs|newfs\\S*|pvremove|vgremove|lvremove)(?: |$)|^(?:zpool|zfs) destroy\\b|" +
        "^diskutil (?:erase|partition|zero|reformat)|" +
        `^(?:wipefs|blkdiscard|s?[gf]disk|sfdisk|parted|hdparm|badblocks|mdadm|cryptsetup) (?!.*(?<= )(?:-l|--list|--print)).*${disk}`,
      "i",
    ),
    "formats or erases a disk",
  ],
  [
    /^killall5\b|^kill (?!-(?:[sn] )?0(?: \d+)+$)(?:-1$|\S+.* (?<!-[sn] )-?1(?: |$))|^(?:pkill|killall) (?:.* )?(?:\.\*?|\*|init|systemd|launchd)(?: |$)/s,
    "kills every process",
  ],
];

/** Continues "This command is never run: it"; null: it may run. */
export function whyNever({ text, commands }: Line, vital: Vital): string | null {
  if (forkBomb.test(text)) return "starts copies of itself until the machine stops (fork bomb)";
  for (const command of commands) {
    const [first = "", ...args] = command.argv;
    const words = [programName(first), ...args].join(" ");
    const [, why = null] = machine.find(([pattern]) => pattern.test(words)) ?? [];
    if (why !== null) return why;
    const paths = destroyed(words, args);
    if (paths.some((path) => isVitalFolder(path, command, vital)))
      return "deletes, moves or changes the system or a home folder";
    const file = [...paths, ...command.writes, ...overwritten(words, args)].find((path) =>
      vitalFiles.test(absolute(path, command, vital) ?? ""),
    );
    if (file !== undefined) return `overwrites ${file}`;
  }
  return null;
}

/** Paths that a command removes, or changes with everything in them. */
function destroyed(words: string, args: readonly string[]): string[] {
  const operands = operandsOf(args);
  if (/^(?:rm|unlink|rimraf|shred) /.test(words)) return operands;
  if (/^find .*-delete\b/s.test(words)) return startsOf(args);
  if (/^ch(?:mod|own|grp) .*(?:-\w*R|--recursive)/s.test(words)) return operands.slice(1);
  if (words.startsWith("mv ")) return operands.slice(0, -1);
  return /^rsync .*--delete/s.test(words) ? operands.slice(-1) : [];
}

function overwritten(words: string, args: readonly string[]): string[] {
  if (words.startsWith("dd ")) return args.flatMap((arg) => /^of=(.*)$/.exec(arg)?.[1] ?? []);
  if (/^(?:tee|sponge|truncate) /.test(words)) return operandsOf(args);
  return /^(?:cp|install|ln|mv) /.test(words) ? operandsOf(args).slice(-1) : [];
}

/** The folders that `find` starts in. */
export function startsOf(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg));
  const starts = args.slice(0, at === -1 ? undefined : at).filter((arg) => !arg.startsWith("-"));
  return starts.length === 0 ? ["."] : starts;
}

const systemFolders =
  /^\/(?:(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|nix|mnt|media|Users|System|Library|Applications|Volumes|private)?$|(?:boot|bin|sbin|lib|lib64|dev|proc|sys|etc|System|Library|Applications)\/|usr\/(?:bin|sbin|lib|lib64|libexec|share|include|local)$|var\/(?:lib|log|spool|db)$|(?:home|Users)\/[^/]+$)/;

const vitalFiles = new RegExp(
  `^(?:\\/etc\\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ld\\.so\\..*)$|\\/boot\\/|\\/(?:usr\\/)?bin\\/(?:ba|da)?sh$|\\/lib(?:64)?\\/ld-|\\/proc\\/sys|\\/sys\\/|${disk})`,
);

/** Absolute and without `..`; null when it begins with something unknown. */
function absolute(
  path: string,
  { cwd }: Pick<SimpleCommand, "cwd">,
  { home, workspace }: Vital,
): string | null {
  const [from, full] = [cwd, path].map((text) =>
    text
      .replace(/^(?:~|\$\{?HOME(?:[:%?/][^}]*)?\}?)(?=\/|$)/, home)
      // The home of another user counts as one, too.
      .replace(/^~(?=\w)/, "/home/"),
  );
  return full?.startsWith("$") ? null : posix.resolve(workspace, from ?? "", full ?? "");
}

/** Removing this with everything in it would destroy the system or the home. */
function isVitalFolder(path: string, command: SimpleCommand, vital: Vital): boolean {
  const full = absolute(path, command, vital);
  if (full === null) return false;
  // A pattern right below the root may stand for any of its folders.
  if (/^\/[^/]*[*?[][^/]*$/.test(full)) return true;
  // A pattern of everything in a folder is that folder.
  const folder = full.replace(/\/(?:\.?[*?][^/]*|\.\[[^/]*)$/, "") || "/";
  const { home, workspace } = vital;
  if (systemFolders.test(folder)) return !`${folder}/`.startsWith(`${workspace}/`);
  const above = folder === "/" ? "/" : `${folder}/`;
  return folder === home || [home, workspace].some((kept) => kept.startsWith(above));
}
