/**
 * Commands that never run, in any mode: they would destroy the machine or the home. A short list that
 * catches mistakes; a line that hides its purpose is left to the sandbox.
 */

import { posix } from "node:path";
import type { Line, SimpleCommand } from "./line/line.ts";
import { programName } from "./line/unwrap.ts";
import { operandsOf } from "./line/operands.ts";

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
    /^killall5\b|^kill (?:-1$|\S+.* (?<!-[sn] )-?1(?: |$))|^(?:pkill|killall) (?:.* )?(?:\.\*?|\*|init|systemd|launchd)(?: |$)/,
    "kills every process",
  ],
];

/** Continues "This command is never run: it"; null: it may run. */
export function whyNever({ text, commands }: Line, vital: Vital): string | null {
  if (forkBomb.test(text)) return "starts copies of itself until the machine stops (fork bomb)";
  for (const command of commands) {
    const [first = "", ...args] = command.argv;
    const words = [programName(first), ...args].join(" ");
    const found = command.guessed ? undefined : machine.find(([pattern]) => pattern.test(words));
    const why = found?.[1] ?? whyFiles(command, vital);
    if (why !== null) return why;
  }
  return null;
}

function whyFiles(
  { argv: [first = "", ...args], writes, cwd }: SimpleCommand,
  vital: Vital,
): string | null {
  const name = programName(first);
  const operands = operandsOf(args);
  const isFolder = (path: string) => isVitalFolder(path, cwd, vital);
  const isFile = (path: string) => isVitalFile(path, cwd, vital);
  const overwritten = [...writes, ...targetsOf(name, operands, args)].find(isFile);
  if (overwritten !== undefined) return `overwrites ${overwritten}`;
  const isRecursive = args.some((arg) => /^-\w*[rR]|^--recursive$/.test(arg));
  switch (name) {
    case "rm":
    case "unlink":
    case "rimraf":
    case "shred":
      return operands.some((path) => isFolder(path) || isFile(path))
        ? "deletes the system or a home folder"
        : null;
    case "find":
      return args.includes("-delete") && startsOf(args).some(isFolder)
        ? "deletes files across the system or a home folder"
        : null;
    case "chmod":
    case "chown":
    case "chgrp":
      return isRecursive && operands.slice(1).some(isFolder)
        ? "changes permissions of the system or a home folder"
        : null;
    case "mv":
      return operands.slice(0, -1).some((path) => isFolder(path) || isFile(path))
        ? "moves a system or home folder away"
        : null;
    case "rsync":
      return args.some((arg) => arg.startsWith("--delete")) && operands.slice(-1).some(isFolder)
        ? "deletes the system or a home folder"
        : null;
    default:
      return null;
  }
}

/** The folders that `find` starts in. */
export function startsOf(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg));
  const starts = args.slice(0, at === -1 ? undefined : at).filter((arg) => !arg.startsWith("-"));
  return starts.length === 0 ? ["."] : starts;
}

function targetsOf(
  name: string,
  operands: readonly string[],
  args: readonly string[],
): readonly string[] {
  if (name === "dd") return args.flatMap((arg) => /^of=(.*)$/.exec(arg)?.[1] ?? []);
  if (/^(?:tee|sponge|truncate)$/.test(name)) return operands;
  return /^(?:cp|install|ln|mv)$/.test(name) ? operands.slice(-1) : [];
}

const systemFolders =
  /^\/(?:(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|nix|mnt|media|Users|System|Library|Applications|Volumes|private)?$|(?:boot|bin|sbin|lib|lib64|dev|proc|sys|etc|System|Library|Applications)\/|usr\/(?:bin|sbin|lib|lib64|libexec|share|include|local)$|var\/(?:lib|log|spool|db)$|(?:home|Users)\/[^/]+$)/;

const vitalFiles = new RegExp(
  `^(?:\\/etc\\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ld\\.so\\..*)$|\\/boot\\/|\\/(?:usr\\/)?bin\\/(?:ba|da)?sh$|\\/lib(?:64)?\\/ld-|\\/proc\\/sys|\\/sys\\/|${disk})`,
);

/** Absolute and without `..`; null when it begins with something unknown. */
function absolute(path: string, cwd: string, { home, workspace }: Vital): string | null {
  // The home of another user counts as one, too.
  const expand = (text: string): string =>
    text
      .replace(/^(?:~|\$\{?HOME(?:[:%?/][^}]*)?\}?)(?=\/|$)/, home)
      .replace(/^~\w+/, (name) => `/home/${name.slice(1)}`);
  const full = expand(path);
  if (full.startsWith("$")) return null;
  if (full.startsWith("/")) return posix.normalize(full);
  const start = expand(cwd);
  return posix.normalize(
    posix.join(start.startsWith("/") ? start : posix.join(workspace, start), full),
  );
}

/** Removing this with everything in it would destroy the system or the home. */
function isVitalFolder(path: string, cwd: string, vital: Vital): boolean {
  const full = absolute(path, cwd, vital);
  if (full === null) return false;
  // A pattern right below the root may stand for any of its folders.
  if (/^\/[^/]*[*?[][^/]*$/.test(full)) return true;
  // A pattern of everything in a folder is that folder.
  const folder = full.replace(/\/(?:\.?[*?][^/]*|\.\[[^/]*|\.?)$/, "") || "/";
  const { home, workspace } = vital;
  const isInWorkspace = folder === workspace || folder.startsWith(`${workspace}/`);
  if (systemFolders.test(folder)) return !isInWorkspace;
  const above = folder === "/" ? "/" : `${folder}/`;
  return folder === home || [home, workspace].some((kept) => kept.startsWith(above));
}

function isVitalFile(path: string, cwd: string, vital: Vital): boolean {
  const full = absolute(path, cwd, vital);
  return full !== null && vitalFiles.test(full);
}
